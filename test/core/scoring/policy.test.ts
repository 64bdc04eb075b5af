import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/core/errors.ts';
import { meets, within } from '../../../src/core/scoring/meets.ts';
import { policyHash, resolvePolicy } from '../../../src/core/scoring/policy.ts';
import { evalConfig } from './build.ts';

const thresholds = (given: object) => given;

describe('resolvePolicy', () => {
  it.each(['qa', 'classification', 'instruction'] as const)('%s: every row must pass whole', (type) => {
    expect(resolvePolicy(evalConfig({ type }), { projectPassMark: 0.5 })).toMatchObject({
      row_mark: 1,
      pass_rate: 1,
      min_score: null,
      fail_on_regression: true,
      min_coverage: 0.9,
    });
  });
  it.each(['rag', 'agent'] as const)('%s has row gates of its own', (type) => {
    expect(resolvePolicy(evalConfig({ type }))).toMatchObject({ row_mark: null, pass_rate: 1, min_score: null });
  });
  it('metrics: one mark for rows and run, no pass rate, flips only listed', () => {
    expect(resolvePolicy(evalConfig({ type: 'metrics' }))).toMatchObject({
      row_mark: 0.8,
      min_score: 0.8,
      pass_rate: null,
      fail_on_regression: false,
    });
  });
  it.each([
    { name: 'the project’s mark', set: {}, project: 0.7, mark: 0.7 },
    { name: 'the eval’s own', set: { min_score: 0.95 }, project: 0.7, mark: 0.95 },
    { name: 'a mark of 0', set: { min_score: 0 }, project: 0.7, mark: 0 },
  ])('takes $name', ({ set, project, mark }) => {
    const config = evalConfig({ type: 'metrics', thresholds: thresholds(set) });
    expect(resolvePolicy(config, { projectPassMark: project })).toMatchObject({ row_mark: mark, min_score: mark });
  });
  it('keeps falsy settings', () => {
    const set = { pass_rate: 0, min_coverage: 0, max_cost_usd: 0, fail_on_regression: false, max_score_drop: 0 };
    expect(resolvePolicy(evalConfig({ type: 'qa', thresholds: set }))).toMatchObject(set);
  });
  it.each([
    { name: 'a threshold of another type', change: { thresholds: { min_tool_score: 1 } }, says: /min_tool_score/ },
    {
      name: 'floors for a type without metrics',
      change: { thresholds: { metric_floors: { a: 1 } } },
      says: /metric_floors/,
    },
    { name: 'a margin that does nothing', change: { margin: 0.05 }, says: /margin/ },
    {
      name: 'a required baseline that cannot be',
      change: { baseline: 'none', thresholds: { require_baseline: true } },
      says: /baseline/,
    },
  ])('refuses $name', ({ change, says }) => {
    expect(() => resolvePolicy(evalConfig({ type: 'qa', ...change }))).toThrow(ConfigError);
    expect(() => resolvePolicy(evalConfig({ type: 'qa', ...change }))).toThrow(says);
  });
  it('has one hash for one policy', () => {
    const a = resolvePolicy(evalConfig({ type: 'metrics', thresholds: { min_score: 0.8 } }));
    const b = resolvePolicy(evalConfig({ type: 'metrics' }));
    const c = resolvePolicy(evalConfig({ type: 'metrics', thresholds: { min_score: 0.81 } }));
    expect(policyHash(a)).toBe(policyHash(b));
    expect(policyHash(c)).not.toBe(policyHash(b));
  });
});

describe('comparison with a threshold', () => {
  it.each([
    [0.8, 0.8, true],
    [0.1 + 0.7, 0.8, true],
    [0.79996, 0.8, false],
    [9 / 10, 0.9, true],
    [Number.NaN, 0, false],
  ])('%f meets %f: %s', (value, minimum, holds) => expect(meets(value, minimum)).toBe(holds));
  it.each([
    [0.1 + 0.2, 0.3, true],
    [0.3001, 0.3, false],
    [Number.NaN, 1, false],
  ])('%f is within %f: %s', (value, maximum, holds) => expect(within(value, maximum)).toBe(holds));
});
