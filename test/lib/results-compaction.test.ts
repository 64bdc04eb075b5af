import { describe, expect, it } from 'vitest';
import { runFinishedEvent } from '../../src/core/run-finished/run-finished.ts';
import { CompactRequestSchema } from '../../src/core/schemas/compaction.ts';
import { EVENT_SOURCE, RUN_FINISHED } from '../../src/core/schemas/run-finished.ts';
import { aRun, RUN_ID } from '../contracts/samples.ts';
import { matches, type Transformer, transform } from './event-bridge.ts';
import { flatten, type Resource, resourcesOf, synthStage } from './synth.ts';

const { evaluation } = synthStage();
const [[, rule], ...others] = resourcesOf(evaluation, 'AWS::Events::Rule').filter(([id]) =>
  id.startsWith('Compaction'),
) as [[string, Resource], ...[string, Resource][]];

/** As the bus delivers what our code tells of a run with so many results. */
function finished(results: number | null, stage = 'prod') {
  const counts = {
    rows: 1,
    passed: 1,
    failed: 0,
    flaky: 0,
    results,
    scored: 1,
    target_error: 0,
    judge_error: 0,
    skipped: 0,
  };
  const told = runFinishedEvent(aRun({ status: 'passed' }), stage);
  const detail = { ...told, figures: results === null ? null : { ...told.figures, counts } };
  return { source: EVENT_SOURCE, 'detail-type': RUN_FINISHED, detail };
}

describe('the rule that compacts large runs', () => {
  it('is one', () => {
    expect(others).toEqual([]);
  });

  it.each([
    { name: 'a run of 1,000,001 results', event: finished(1_000_001), heard: true },
    { name: 'a run of 1,000,000 results', event: finished(1_000_000), heard: false },
    { name: 'a run that broke before anything was counted', event: finished(null), heard: false },
    { name: 'a run of another stage', event: finished(2_000_000, 'dev'), heard: false },
  ])('hears of $name: $heard', ({ event, heard }) => {
    expect(matches(rule.Properties.EventPattern, event)).toBe(heard);
  });

  it('gives the function what it parses, and keeps what it cannot deliver', () => {
    const [target] = rule.Properties.Targets as {
      Arn: unknown;
      InputTransformer: Transformer;
      DeadLetterConfig: object;
    }[];
    expect(flatten(target?.Arn)).toMatch(/^<CompactionCompactRun/);
    const given = JSON.parse(transform(target?.InputTransformer as Transformer, finished(2_000_000)));
    expect(CompactRequestSchema.parse(given)).toEqual({ run_id: RUN_ID, project: 'shop' });
    expect(flatten(target?.DeadLetterConfig)).toMatch(/Failures/);
  });
});

it('a stage with a bus of its own listens there', () => {
  const own = synthStage({ stage: 'dev', notifications: { bus: 'own' } }).evaluation;
  const [[, its] = ['', undefined]] = resourcesOf(own, 'AWS::Events::Rule').filter(([id]) =>
    id.startsWith('Compaction'),
  );
  expect(flatten(its?.Properties.EventBusName)).toMatch(/^<NotificationsBus/);
});
