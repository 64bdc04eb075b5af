import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { StageConfigSchema } from '../../lib/config.ts';
import { type RunFinished, RunFinishedSchema } from '../../src/core/schemas/run-finished.ts';
import { matches, type Transformer, transform } from './event-bridge.ts';

const text = readFileSync(new URL('../../docs/notifications.md', import.meta.url), 'utf8');
const blocks = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json));
const [settings, sample, regressions, costs, undecided, transformer] = blocks;
const detail = sample.detail as RunFinished;
const event = (changes: Partial<RunFinished>) => ({ ...sample, detail: { ...detail, ...changes } });
const figures = (changes: Partial<NonNullable<RunFinished['figures']>>) =>
  event({ figures: { ...(detail.figures as NonNullable<RunFinished['figures']>), ...changes } });

describe('docs/notifications.md', () => {
  it('shows settings that a stage takes', () => {
    expect(StageConfigSchema.parse({ stage: 'prod', ...settings.prod }).notifications).toEqual(
      settings.prod.notifications,
    );
  });

  it('shows an event as it is, with nothing left out', () => {
    expect(RunFinishedSchema.parse(detail)).toEqual(detail);
    expect(Object.keys(detail).sort()).toEqual(Object.keys(RunFinishedSchema.shape).sort());
  });

  it.each([
    { name: 'regressions', pattern: regressions, heard: sample, not: figures({ baseline: null }) },
    {
      name: 'regressions elsewhere',
      pattern: regressions,
      heard: event({ ref: 'main' }),
      not: event({ ref: 'other' }),
    },
    {
      name: 'costs',
      pattern: costs,
      heard: figures({ cost: { total_usd: 1.01, target_usd: null, judge_usd: null, not_metered: [] } }),
      not: sample,
    },
    { name: 'no verdict', pattern: undecided, heard: event({ gate: 'error' }), not: sample },
    {
      name: 'no verdict elsewhere',
      pattern: undecided,
      heard: event({ gate: 'error', figures: null, decision: null }),
      not: event({ gate: 'error', project: 'sandbox' }),
    },
  ])('has a pattern that hears what it says and no more: $name', ({ pattern, heard, not }) => {
    expect([matches(pattern, heard), matches(pattern, not)]).toEqual([true, false]);
  });

  it('has a transformer that makes JSON', () => {
    expect(JSON.parse(transform(transformer as Transformer, sample)).text).toBe(
      `*${detail.title}*\n${detail.text}\nhttps://abc123.execute-api.eu-west-1.amazonaws.com${detail.run_path}`,
    );
  });

  it('shows no block that nobody looks at', () => {
    expect(blocks).toHaveLength(6);
  });
});
