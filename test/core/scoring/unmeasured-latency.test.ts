import { describe, expect, it } from 'vitest';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import { scoringFor } from '../../../src/core/scoring/scoring-for.ts';

const recorded = { type: 'recorded' };
const http = { url: 'https://a.example' };

function faultsOf(changes: object): string[] {
  const config = parseEval({ name: 'faq', type: 'metrics', dataset: 'd', judge: { type: 'lexical' }, ...changes });
  return scoringFor(config.type)
    .checkConfig(config)
    .map(({ field, message }) => `${field}: ${message}`);
}

describe('times that nobody measures', () => {
  it.each([
    ['the metric alone', { targets: [recorded], metrics: ['latency'] }],
    ['the metric beside others', { targets: [recorded], metrics: ['relevance', 'latency'] }],
    ['a budget', { targets: [recorded], latency_budget_ms: 100 }],
    ['the metric alone, with one of the targets recorded', { targets: [recorded, http], metrics: ['latency'] }],
  ])('are refused before the run: %s', (_name, changes) => {
    expect(faultsOf(changes)).toEqual([
      'metrics: latency cannot be scored: target recorded has recorded answers, whose time is not known',
    ]);
  });

  it('are refused as a limit of the run', () => {
    const thresholds = { max_p95_latency_ms: 100 };
    expect(faultsOf({ type: 'qa', targets: [recorded], thresholds })).toEqual([
      'thresholds.max_p95_latency_ms: max_p95_latency_ms has nothing to hold against: target recorded has recorded answers, whose time is not known',
    ]);
    expect(faultsOf({ type: 'qa', targets: [recorded, http], thresholds })).toEqual([]);
  });

  it('are no matter where another target is timed and other metrics count', () => {
    expect(faultsOf({ targets: [recorded, http], metrics: ['relevance', 'latency'] })).toEqual([]);
  });
});
