import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { QueryRow } from '../../src/adapters/local/analytics/duckdb.ts';
import { disagreements } from '../../src/core/judging/disagreement.ts';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { scored, unscored } from '../../src/core/schemas/score.ts';
import { judgeError, result, runConfig, skipped, targetError } from '../core/aggregate/build.ts';
import { ask, storeRun } from './stored-run.ts';

const ROWS = 90;
const THEN = 'r-01M8Q00000000000000000000A';
const NOW = 'r-01M8Q00000000000000000000B';
const SETUPS = [
  { name: 'one target', targets: ['http'], trials: 1 },
  { name: 'two targets', targets: ['http', 'other'], trials: 1 },
  { name: 'three trials', targets: ['http'], trials: 3 },
];

describe.each(SETUPS)('$name', async ({ targets, trials }) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-equal-'));
  afterAll(() => rm(folder, { recursive: true }));
  const configOf = (run_id: string) =>
    runConfig({
      rows: ROWS,
      targets,
      eval: { trials, confirm_trials: 1, name: 'test', judges: [{ type: 'lexical' }] },
      run: { run_id, started_at: '2026-11-30T11:00:00.000Z', sha: run_id.slice(-1).repeat(40) },
    });
  const then = await storeRun(folder, configOf(THEN), [someResults(THEN, targets, trials, 7)]);
  const results = someResults(NOW, targets, trials, 8);
  // A batch that was handed on: its rows lie in two parts, evaluated apart.
  const again = someResults(NOW, targets, trials, 9).slice(0, 40);
  const { summary } = await storeRun(folder, configOf(NOW), [results, again], then);
  const asked = (name: string, given = {}) => ask(folder, name, given);
  const sum = (rows: readonly QueryRow[], column: string) =>
    rows.reduce((total, row) => total + Number(row[column] ?? 0), 0);

  it('latest_runs and trend_by_commit say the rates of the summaries', async () => {
    const [latest, former] = await asked('latest_runs');
    expect(latest).toMatchObject({ run_id: NOW, dt: '2026-11-30', pass_rate: summary.pass_rate, score: summary.score });
    expect(former).toMatchObject({ run_id: THEN, failed_rows: then.summary.counts.failed });
    const trend = await asked('trend_by_commit', { eval: 'test' });
    expect(trend.map((row) => row.pass_rate)).toEqual([then.summary.pass_rate, summary.pass_rate]);
    expect(trend[1]?.pass_rate_change).toBeCloseTo(summary.baseline?.delta ?? Number.NaN, 12);
    expect(trend[1]?.regressed_rows).toBe(summary.baseline?.regressed.length);
  });

  it('regressions names the rows of the comparison', async () => {
    const rows = await asked('regressions', { run: NOW });
    const idsOf = (change: string) =>
      [...new Set(rows.filter((row) => row.change === change).map((row) => row.row_id))].sort();
    expect(summary.baseline?.regressed.length).toBeGreaterThan(0);
    expect(idsOf('regressed')).toEqual([...(summary.baseline?.regressed ?? [])].sort());
    expect(idsOf('fixed')).toEqual([...(summary.baseline?.fixed ?? [])].sort());
  });

  it('pass_rate_by_tag counts as the summary does', async () => {
    const rows = (await asked('pass_rate_by_tag')).filter(({ kind }) => kind === 'tag');
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(summary.tags));
    for (const { name, row_count, counted, passed, score } of rows) {
      const tag = summary.tags[String(name)];
      expect({ rows: row_count, counted, passed }).toEqual({
        rows: tag?.rows,
        counted: tag?.counted,
        passed: tag?.passed,
      });
      expect(score).toBeCloseTo(tag?.score ?? Number.NaN, 12);
    }
  });

  it('metric_means gives the means of each target', async () => {
    const rows = await asked('metric_means');
    const expected = summary.targets.flatMap(({ id, metrics }) =>
      Object.entries(metrics).map(([metric, { n, mean }]) => ({ target: id, metric, n, mean })),
    );
    // Over several trials the summary leaves rows out whose trials did not all end; see docs/athena.md.
    if (trials === 1)
      expect(rows.map(({ target, metric, n }) => [target, metric, n])).toEqual(
        expected.map(({ target, metric, n }) => [target, metric, n]),
      );
    if (trials === 1) for (const [i, { mean }] of expected.entries()) expect(rows[i]?.mean).toBeCloseTo(mean ?? -1, 12);
    expect(rows).toHaveLength(expected.length);
  });

  it('score_distribution holds every value once', async () => {
    const rows = await asked('score_distribution');
    expect(rows.every(({ bin_from }) => Number(bin_from) >= 0 && Number(bin_from) <= 0.9)).toBe(true);
    if (trials > 1) return;
    const values = summary.targets.flatMap(({ metrics }) => Object.values(metrics).map(({ n }) => n));
    expect(sum(rows, 'results')).toBe(values.reduce((total, n) => total + n, 0));
  });

  it('cost_by_model_and_day sums to the cost of both runs, confirm trials and all', async () => {
    const rows = await asked('cost_by_model_and_day');
    expect(summary.cost.target_usd).toBeGreaterThan(0);
    for (const side of ['target', 'judge'] as const) {
      const total = (summary.cost[`${side}_usd`] ?? 0) + (then.summary.cost[`${side}_usd`] ?? 0);
      expect(sum(rows, `cost_${side}_usd`)).toBeCloseTo(total, 9);
    }
  });

  it('latency_by_target has the percentiles of the summary', async () => {
    const rows = await asked('latency_by_target');
    expect(rows.map(({ target, n, p50_ms, p95_ms }) => ({ target, n, p50_ms, p95_ms }))).toEqual(
      summary.targets.map(({ id, latency: { n, p50_ms, p95_ms } }) => ({ target: id, n, p50_ms, p95_ms })),
    );
  });

  it('worst_rows and slowest_rows are ordered, and hold nothing that passed first', async () => {
    const worst = await asked('worst_rows');
    const { target_error, judge_error } = summary.counts;
    const failures = worst.filter(({ status }) => status === 'target_error').length;
    expect(failures).toBe(Math.min(100, target_error));
    expect(worst.length).toBeGreaterThanOrEqual(Math.min(100, target_error + judge_error));
    const slowest = (await asked('slowest_rows')).map(({ latency_ms }) => Number(latency_ms));
    expect(slowest).toEqual([...slowest].sort((a, b) => b - a));
  });

  it('judge_errors_by_cause sums to the judge errors', async () => {
    const rows = await asked('judge_errors_by_cause');
    expect(summary.counts.judge_error).toBeGreaterThan(1);
    expect(
      sum(
        rows.filter(({ what }) => what === 'result'),
        'results',
      ),
    ).toBe(summary.counts.judge_error);
  });

  it('judge_disagreement finds what the report finds', async () => {
    const rows = await asked('judge_disagreement', { run: THEN });
    const expected = someResults(THEN, targets, trials, 7)
      .filter(({ phase }) => phase === 'main')
      .flatMap(({ row_id, target, trial, scores }) =>
        disagreements(scores).map((metric) => [row_id, target, trial, metric].join('/')),
      );
    expect(expected.length).toBeGreaterThan(3);
    expect(rows.map(({ row_id, target, trial, metric }) => [row_id, target, trial, metric].join('/')).sort()).toEqual(
      expected.sort(),
    );
  });
});

/** Every kind of result, the same for the same seed. */
function someResults(run_id: string, targets: readonly string[], trials: number, seed: number): RowResult[] {
  const random = randomNumbers(seed);
  const results: RowResult[] = [];
  for (let row = 0; row < ROWS; row += 1) {
    const tags = [['returns'], ['returns', 'shipping'], [], ['billing', 'billing']][row % 4] ?? [];
    const fixed = {
      run_id,
      tags,
      difficulty: [null, 'easy', 'hard'][row % 3] ?? null,
      started_at: '2026-11-30T11:00:00.000Z',
    };
    for (const target of targets) {
      for (let trial = 0; trial < trials; trial += 1) {
        const fields = {
          ...fixed,
          target,
          target_model: `model-${target}`,
          trial,
          latency_ms: Math.round(random() * 3000),
        };
        results.push(someResult(row, random, fields));
      }
      if (row % 9 === 0)
        results.push(result(row, random(), { ...fixed, target, phase: 'confirm', ...spending(random) }));
    }
  }
  return results;
}

function someResult(row: number, random: () => number, fields: Partial<RowResult>): RowResult {
  const kind = random();
  const nothing = { cost_target_usd: 0, cost_judge_usd: 0 };
  if (kind < 0.06) return targetError(row, { ...fields, ...nothing, cause: 'timeout' });
  if (kind < 0.1) return targetError(row, { ...fields, ...nothing, cause: 'http-status' });
  if (kind < 0.14) return targetError(row, { ...fields, cause: 'path-not-found', ...spending(random) });
  if (kind < 0.2)
    return judgeError(row, { ...fields, cause: kind < 0.17 ? 'unparsable' : 'throttled', ...spending(random) });
  if (kind < 0.24) return skipped(row, 'time budget', { ...fields, ...nothing, latency_ms: null });
  const score = Math.round(random() * 20) / 20;
  const vote = (judge: string, value: number | null) => ({
    judge,
    value,
    label: null,
    error: value === null ? 'timeout' : null,
  });
  const votes =
    row % 5 === 0 ? [vote('a', random()), vote('b', random()), vote('c', row % 10 === 0 ? null : score)] : [];
  const relevance = row % 7 === 0 ? unscored('not-applicable', 'nothing to measure') : scored(random(), 'because');
  return result(row, score, {
    ...fields,
    ...spending(random),
    scores: { correctness: scored(score, 'because', { votes }), relevance },
  });
}

function spending(random: () => number): Pick<RowResult, 'spend' | 'cost_target_usd' | 'cost_judge_usd'> {
  const [target, judge] = [random() / 100, random() / 1000];
  const { spend } = result(0, 1);
  return {
    cost_target_usd: target,
    cost_judge_usd: judge,
    spend: { ...spend, target: { status: 'metered', usd: target }, judge: { status: 'metered', usd: judge } },
  };
}

/** Lehmer's generator: 0 ≤ x < 1. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
