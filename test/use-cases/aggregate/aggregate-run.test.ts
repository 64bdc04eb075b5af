import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../../../src/core/aggregate/content-hash.ts';
import { StorageError } from '../../../src/core/errors.ts';
import type { Outcome, RowResult } from '../../../src/core/schemas/result.ts';
import type { RunConfig } from '../../../src/core/schemas/run.ts';
import { type AggregateRunInput, aggregateRun } from '../../../src/use-cases/aggregate/aggregate-run.ts';
import {
  chunksOf,
  judgeError,
  metricScores,
  result,
  runConfig,
  skipped,
  targetError,
} from '../../core/aggregate/build.ts';

const FINISHED = '2025-01-01T00:01:00.000Z';

async function run(config: RunConfig, results: readonly RowResult[], more: Partial<AggregateRunInput> = {}) {
  const { summary, outcomes } = await aggregateRun({
    config,
    results: [chunksOf(results)],
    baseline: null,
    finishedAt: FINISHED,
    stopped: null,
    ...more,
  });
  return { summary, outcomes: [...outcomes].map((line) => JSON.parse(line) as Outcome) };
}

describe('score of a run', () => {
  it('counts an unanswered row as 0: 0.9, 0.8, 0.6 and none make 0.575', async () => {
    const { summary } = await run(runConfig({ rows: 4 }), [
      result(0, 0.9),
      result(1, 0.8),
      result(2, 0.6),
      targetError(3),
    ]);
    expect(summary.score).toBeCloseTo(0.575, 12);
    expect(summary).toMatchObject({ status: 'failed', gate: 'fail', coverage: 1 });
    expect(summary.counts).toMatchObject({ rows: 4, passed: 2, failed: 2, scored: 3, target_error: 1 });
    expect(summary.message).toMatch(
      /2 of 4 rows failed.*0\.575 is below 0\.8.*weakest metric: correctness.*1 row got no answer/,
    );
  });

  it('leaves rows out that could not be judged', async () => {
    const config = runConfig({ rows: 3, eval: { thresholds: { min_coverage: 0 } } });
    const { summary } = await run(config, [result(0, 0.9), judgeError(1), result(2, 0.7)]);
    expect(summary.score).toBeCloseTo(0.8, 12);
    expect(summary).toMatchObject({ status: 'passed', gate: 'pass' });
    expect(summary.counts.judge_error).toBe(1);
    expect(summary.warnings.join()).toMatch(/1 row could not be judged/);
  });

  it.each([
    { failed: 3, says: 'no verdict on 3 of 4 planted answers' },
    { failed: 0, says: null },
  ])('says when a judge gave no verdict on $failed planted answers', async ({ failed, says }) => {
    const planted = { asked: 4, held: 4 - failed, failed, wrong: [], failure: null, usage: null };
    const canaries = { ...planted, cost: { status: 'metered' as const, usd: 0 } };
    const { summary } = await run(runConfig({ rows: 1 }), [result(0, 0.9)], { canaries });
    expect(summary.gate).toBe('pass');
    expect(summary.warnings.some((warning) => warning.includes(says ?? 'planted answers'))).toBe(says !== null);
  });

  it('is an error when too many rows could not be judged, and never a pass', async () => {
    const results = [...Array.from({ length: 8 }, (_, i) => result(i, 1)), judgeError(8), judgeError(9)];
    const { summary } = await run(runConfig({ rows: 10 }), results);
    expect(summary).toMatchObject({ status: 'error', gate: 'error', score: 1, coverage: 0.8 });
    expect(summary.message).toContain('coverage 0.8 is below 0.9: 8 of 10 results count (2 not judged, 0 skipped)');
  });

  it('passes at exactly the least coverage', async () => {
    const results = [...Array.from({ length: 9 }, (_, i) => result(i, 1)), judgeError(9)];
    expect((await run(runConfig({ rows: 10 }), results)).summary.status).toBe('passed');
  });

  it.each([
    { name: 'no rows', rows: 0, results: [], says: /no rows/ },
    {
      name: 'every answer missing',
      rows: 5,
      results: [0, 1, 2, 3, 4].map((i) => targetError(i)),
      says: /target "http" failed on every row/,
    },
    {
      name: 'every judgement missing',
      rows: 3,
      results: [0, 1, 2].map((i) => judgeError(i)),
      says: /judge failed on every answer/,
    },
    {
      name: 'answers and judgements missing',
      rows: 2,
      results: [targetError(0), judgeError(1)],
      says: /judge failed on every answer/,
    },
    {
      name: 'results nobody wrote',
      rows: 3,
      results: [result(0, 1), result(1, 1)],
      says: /1 of 3 results are missing.*lost.*redrive/,
    },
    { name: 'the cost cap', rows: 2, results: [result(0, 1), skipped(1, 'cost cap')], says: /hard cost cap/ },
    { name: 'a stop by the user', rows: 2, results: [result(0, 1), skipped(1, 'cancelled')], says: /cancelled/ },
  ])('is an error with $name', async ({ rows, results, says }) => {
    const { summary } = await run(runConfig({ rows, eval: { thresholds: { min_coverage: 0 } } }), results);
    expect(summary.gate).toBe('error');
    expect(summary.status).toBe(results.some(({ cause }) => cause === 'cancelled') ? 'cancelled' : 'error');
    expect(summary.message).toMatch(says);
    if (!results.some(({ score }) => score !== null && score > 0)) expect(summary.score ?? 0).toBe(0);
  });

  it('is an error when one target of two answered nothing', async () => {
    const results = [0, 1].flatMap((i) => [result(i, 1, { target: 'a' }), targetError(i, { target: 'b' })]);
    const { summary } = await run(runConfig({ rows: 2, targets: ['a', 'b'] }), results);
    expect(summary.gate).toBe('error');
    expect(summary.decision.reasons[0]?.text).toContain('target "b"');
  });

  it('means metrics over scored rows only', async () => {
    const { summary } = await run(runConfig({ rows: 3 }), [
      result(0, 0.75, { scores: metricScores({ correctness: 1, relevance: 0.5 }) }),
      result(1, 0.75, { scores: metricScores({ correctness: 0.5, relevance: 1 }) }),
      targetError(2, { scores: metricScores({ latency: 0 }) }),
    ]);
    expect(summary.score).toBeCloseTo(0.5, 12);
    expect(summary.metrics.correctness).toMatchObject({ mean: 0.75, n: 2, unscored: 1 });
    expect(summary.metrics.relevance).toMatchObject({ mean: 0.75, n: 2 });
    expect(summary.metrics.latency).toEqual({ mean: null, n: 0, unscored: 3, ci95: null });
    expect(summary.status).toBe('failed');
  });

  it('fails on a floor whatever the average, and names it', async () => {
    const config = runConfig({ rows: 1, eval: { thresholds: { min_score: 0.5, metric_floors: { relevance: 0.6 } } } });
    const { summary } = await run(config, [
      result(0, 0.75, { scores: metricScores({ correctness: 1, relevance: 0.5 }) }),
    ]);
    expect(summary.status).toBe('failed');
    expect(summary.decision.reasons).toEqual([
      {
        rule: 'metric_floors.relevance',
        outcome: 'fail',
        text: 'mean of relevance 0.5 is below 0.6',
        actual: 0.5,
        limit: 0.6,
      },
    ]);
  });
});

describe('several targets', () => {
  const config = runConfig({ type: 'qa', rows: 1, targets: ['a', 'b', 'c'] });
  it('the worst counts', async () => {
    const scores = { a: 1, b: 0.5, c: 1 };
    const results = Object.entries(scores).map(([id, score]) => result(0, score, { target: id, passed: score === 1 }));
    const { summary, outcomes } = await run(config, results);
    expect(outcomes).toMatchObject([{ score: 0.5, passed: false, status: 'scored' }]);
    expect(summary.targets.map(({ id, score, pass_rate }) => [id, score, pass_rate])).toEqual([
      ['a', 1, 1],
      ['b', 0.5, 0],
      ['c', 1, 1],
    ]);
    expect(summary.metrics.correctness?.mean).toBe(0.5);
    expect(summary.targets[0]?.metrics.correctness?.mean).toBe(1);
  });
  it('one without an answer makes the row 0', async () => {
    const { outcomes } = await run(config, [
      result(0, 1, { target: 'a' }),
      targetError(0, { target: 'b' }),
      result(0, 1, { target: 'c' }),
    ]);
    expect(outcomes).toMatchObject([{ score: 0, passed: false, status: 'target_error' }]);
  });
  it('one without a result is not left out', async () => {
    const { summary, outcomes } = await run(config, [result(0, 1, { target: 'a' }), result(0, 1, { target: 'c' })]);
    expect(outcomes).toMatchObject([{ score: null, passed: false, status: 'skipped' }]);
    expect(summary.gate).toBe('error');
  });
});

describe('several trials', () => {
  const trials = (...scores: (number | null)[]) =>
    scores.map((score, trial) => (score === null ? targetError(0, { trial }) : result(0, score, { trial })));
  it.each([
    { policy: 'all', given: [1, 1, 0.5], passed: false, score: 2.5 / 3, flaky: 1 },
    { policy: 'majority', given: [1, 1, 0.5], passed: true, score: 2.5 / 3, flaky: 1 },
    { policy: 'majority', given: [1, null, null], passed: false, score: 1 / 3, flaky: 1 },
    { policy: 'any', given: [0, 1, null], passed: true, score: 1 / 3, flaky: 1 },
    { policy: 'all', given: [1, 1, null], passed: false, score: 0, flaky: 1 },
    { policy: 'all', given: [1, 0.9, 1], passed: true, score: 2.9 / 3, flaky: 0 },
  ] as const)('$policy of $given', async ({ policy, given, passed, score, flaky }) => {
    const config = runConfig({ rows: 1, eval: { trials: 3, trial_policy: policy } });
    const { summary, outcomes } = await run(config, trials(...given));
    expect(outcomes[0]?.passed).toBe(passed);
    expect(outcomes[0]?.score).toBeCloseTo(score, 12);
    expect(summary.counts.flaky).toBe(flaky);
    expect(summary.counts.results).toBe(3);
  });
  it('counts coverage by trial', async () => {
    const config = runConfig({ rows: 1, eval: { trials: 4 } });
    const { summary } = await run(config, [...trials(1, 1, 1), judgeError(0, { trial: 3 })]);
    expect(summary.coverage).toBe(0.75);
    expect(summary.gate).toBe('error');
  });
});

describe('confirm trials', () => {
  const config = runConfig({ type: 'qa', rows: 2, eval: { confirm_trials: 3 } });
  const main = [result(0, 0.5, { passed: false }), result(1, 1)];
  const confirm = (trial: number, passed: boolean) => result(0, passed ? 1 : 0.5, { phase: 'confirm', trial, passed });
  it('clears a row that passes most of them, and says so', async () => {
    const { summary, outcomes } = await run(config, [...main, confirm(0, true), confirm(1, true), confirm(2, false)]);
    expect(outcomes[0]).toMatchObject({ passed: true, status: 'scored' });
    expect(outcomes[0]?.score).toBeCloseTo((0.5 + 1 + 1 + 0.5) / 4, 12);
    expect(summary.counts).toMatchObject({ flaky: 1, passed: 2, results: 2 });
    expect(summary.warnings.join()).toContain('1 row failed first and passed when tried again: row-0');
    expect(summary.cost.total_usd).toBeCloseTo(5 * 0.002, 12);
  });
  it.each([
    { name: 'most of them fail', again: [confirm(0, true), confirm(1, false), confirm(2, false)] },
    { name: 'most are missing', again: [confirm(0, true)] },
    { name: 'one is repeated', again: [confirm(0, true), confirm(0, true), confirm(0, true)] },
  ])('leaves the failure standing when $name', async ({ again }) => {
    const { outcomes } = await run(config, [...main, ...again]);
    expect(outcomes[0]).toMatchObject({ passed: false, score: 0.5 });
  });
});

describe('accounting', () => {
  it('counts a repeated line once', async () => {
    const { summary } = await run(runConfig({ rows: 1 }), [result(0, 1), result(0, 1), result(0, 1)]);
    expect(summary.counts).toMatchObject({ results: 1, scored: 1, passed: 1 });
    expect(summary.cost.total_usd).toBeCloseTo(0.002, 12);
    expect(summary.cost.tokens.judge).toEqual({ input: 20, output: 2, cache_read: 0, cache_write: 0 });
    expect(summary.latency.n).toBe(1);
  });
  it.each([
    {
      name: 'an evaluation stands over a skip',
      lines: [skipped(0, 'time budget'), result(0, 1)],
      status: 'scored',
      score: 1,
    },
    {
      name: 'the worse of two evaluations stands',
      lines: [result(0, 1), result(0, 0.2)],
      status: 'scored',
      score: 0.2,
    },
    {
      name: 'a failed request stands over an answer',
      lines: [result(0, 1), targetError(0)],
      status: 'target_error',
      score: 0,
    },
    { name: 'a judgement stands over none', lines: [judgeError(0), result(0, 1)], status: 'scored', score: 1 },
  ])('$name, in either order', async ({ lines, status, score }) => {
    for (const order of [lines, [...lines].reverse()]) {
      const { outcomes, summary } = await run(runConfig({ rows: 1 }), order);
      expect(outcomes).toMatchObject([{ status, score }]);
      expect(summary.counts.results).toBe(1);
    }
  });

  it('reports skips by cause and why the run stopped', async () => {
    const results = [result(0, 1), result(1, 1), skipped(2, 'time budget')];
    const { summary } = await run(runConfig({ rows: 3, eval: { thresholds: { min_coverage: 0.5 } } }), results);
    expect(summary.skipped_by_cause).toEqual({ 'time budget': 1 });
    expect(summary.stopped).toEqual({ after: 2, of: 3, why: 'time budget reached' });
    expect(summary.message).toContain('stopped after 2 of 3 rows (time budget reached)');
    expect(summary.status).toBe('passed');
  });
  it('takes the reason of a stop from the driver', async () => {
    const stopped = { cause: 'cost cap', why: 'hard cost cap of $5 reached' } as const;
    const { summary } = await run(runConfig({ rows: 2 }), [result(0, 1), skipped(1, 'cost cap')], { stopped });
    expect(summary.stopped?.why).toBe('hard cost cap of $5 reached');
    expect(summary.gate).toBe('error');
  });
  it('blames the judge when it stopped the run', async () => {
    const results = [judgeError(0), skipped(1, 'stopped')];
    const { summary } = await run(runConfig({ rows: 2 }), results);
    expect(summary.message).toMatch(/judge/);
    expect(summary.gate).toBe('error');
  });

  it('names rows that no result names, where the row file is at hand', async () => {
    const rows = () =>
      Promise.resolve(
        chunksOf([
          { id: 'row-0', index: 0, input: 'question 0' },
          { id: 'lost', index: 1, input: 'q' },
        ]),
      );
    const { summary, outcomes } = await run(runConfig({ rows: 2 }), [result(0, 1)], { rows });
    expect(outcomes.map(({ row_id }) => row_id)).toEqual(['row-0', 'lost']);
    expect(outcomes[1]).toMatchObject({
      status: 'skipped',
      passed: false,
      score: null,
      content: contentHash('q', null),
    });
    expect(summary.skipped_by_cause).toEqual({ lost: 1 });
  });

  it.each([
    { name: 'no JSON', line: '{"run_id":' },
    { name: 'a list', line: '[]' },
    { name: 'another run', line: JSON.stringify(result(0, 1, { run_id: 'r-11111111111111111111111111' })) },
    { name: 'a row that is not in the manifest', line: JSON.stringify(result(7, 1)) },
    { name: 'a negative row', line: JSON.stringify(result(-1, 1)) },
    { name: 'an unknown target', line: JSON.stringify(result(0, 1, { target: 'x' })) },
    { name: 'a trial too many', line: JSON.stringify(result(0, 1, { trial: 1 })) },
    { name: 'a confirm trial that nobody asked for', line: JSON.stringify(result(0, 1, { phase: 'confirm' })) },
    { name: 'a score above 1', line: JSON.stringify(result(0, 1, { score: 1.5 })) },
    { name: 'a score that is no number', line: JSON.stringify(result(0, 1)).replace('"score":1', '"score":1e999') },
    { name: 'no score', line: JSON.stringify(result(0, 1, { score: null })) },
    { name: 'a metric above 1', line: JSON.stringify(result(0, 1)).replaceAll('"value":1', '"value":7') },
    { name: 'a pass without a score', line: JSON.stringify(judgeError(0, { passed: true })) },
    { name: 'an unknown status', line: JSON.stringify({ ...result(0, 1), status: 'ok' }) },
    { name: 'a negative cost', line: JSON.stringify(result(0, 1)).replaceAll('"usd":0.001', '"usd":-1') },
    { name: 'two ids for one row', line: JSON.stringify(result(0, 1, { row_id: 'other' })) },
  ])('refuses a line with $name, and names it', async ({ line }) => {
    const lines = `${JSON.stringify(result(0, 1))}\n${line}\n`;
    const results = [
      (async function* () {
        yield Buffer.from(lines);
      })(),
    ];
    const input = { config: runConfig({ rows: 2 }), results, baseline: null, finishedAt: FINISHED, stopped: null };
    await expect(aggregateRun(input)).rejects.toThrow(StorageError);
    const again = [
      (async function* () {
        yield Buffer.from(lines);
      })(),
    ];
    await expect(aggregateRun({ ...input, results: again })).rejects.toThrow(/line 2/);
  });
});

describe('latency and cost', () => {
  it('takes answered requests and timeouts at their limit', async () => {
    const { summary } = await run(runConfig({ rows: 6 }), [
      result(0, 1, { latency_ms: 100 }),
      judgeError(1, { latency_ms: 200 }),
      targetError(2, { cause: 'timeout', latency_ms: 60_000 }),
      targetError(3, { cause: 'path-not-found', latency_ms: 300 }),
      targetError(4, { cause: 'http-status', latency_ms: 5 }),
      targetError(5, { cause: 'connection', latency_ms: 1 }),
    ]);
    expect(summary.latency).toEqual({ p50_ms: 200, p95_ms: 60_000, n: 4, timeouts: 1 });
  });
  it('is an error when the limit has no values', async () => {
    const config = runConfig({ rows: 1, eval: { thresholds: { max_p95_latency_ms: 100 } } });
    const { summary } = await run(config, [result(0, 1, { latency_ms: null })]);
    expect(summary.gate).toBe('error');
    expect(summary.latency).toEqual({ p50_ms: null, p95_ms: null, n: 0, timeouts: 0 });
  });
  it.each([
    { name: 'equal passes', limit: 100, gate: 'pass' },
    { name: 'above fails', limit: 99, gate: 'fail' },
  ])('p95: $name', async ({ limit, gate }) => {
    const config = runConfig({ rows: 1, eval: { thresholds: { max_p95_latency_ms: limit } } });
    const { summary } = await run(config, [result(0, 1)]);
    expect(summary.gate).toBe(gate);
    expect(summary.warnings.join()).toContain('rests on 1 values only');
  });
  const withCost = (index: number, usd: number) =>
    result(index, 1, {
      spend: { ...result(0, 1).spend, target: { status: 'metered', usd }, judge: { status: 'metered', usd: 0 } },
    });
  it('adds 0.1 and 0.2 to no more than 0.3', async () => {
    const config = runConfig({ rows: 2, eval: { thresholds: { max_cost_usd: 0.3 } } });
    const { summary } = await run(config, [withCost(0, 0.1), withCost(1, 0.2)]);
    expect(summary.gate).toBe('pass');
    expect(summary.cost.total_usd).toBeCloseTo(0.3, 12);
  });
  it('is an error when a model has no price, never a smaller sum', async () => {
    const config = runConfig({ rows: 2, eval: { thresholds: { max_cost_usd: 100 } } });
    const unpriced = result(1, 1, {
      spend: { ...result(0, 1).spend, judge: { status: 'unknown', model: 'new-model' } },
    });
    const { summary } = await run(config, [result(0, 1), unpriced]);
    expect(summary.cost).toMatchObject({ total_usd: null, judge_usd: null, unknown: ['new-model'] });
    expect(summary.cost.target_usd).toBeCloseTo(0.002, 12);
    expect(summary.gate).toBe('error');
    expect(summary.message).toContain('new-model');
  });
  it('warns of what is not metered, which is outside the limit', async () => {
    const config = runConfig({ rows: 1, eval: { thresholds: { max_cost_usd: 1 } } });
    const spend = { ...result(0, 1).spend, target: { status: 'not_metered' as const } };
    const { summary } = await run(config, [result(0, 1, { spend })]);
    expect(summary.gate).toBe('pass');
    expect(summary.cost.not_metered).toEqual(['target http']);
    expect(summary.targets[0]?.cost).toEqual({ status: 'not_metered', usd: null });
    expect(summary.warnings.join()).toMatch(/not metered: target http, so max_cost_usd does not count it/);
  });
  it('keeps the targets’ costs apart', async () => {
    const spend = (usd: number) => ({ ...result(0, 1).spend, target: { status: 'metered' as const, usd } });
    const results = [0, 1].flatMap((i) => [
      result(i, 1, { target: 'a', spend: spend(1) }),
      result(i, 1, { target: 'b', spend: spend(10) }),
    ]);
    const { summary } = await run(runConfig({ rows: 2, targets: ['a', 'b'] }), results);
    expect(summary.targets.map(({ cost }) => cost.usd)).toEqual([2, 20]);
    expect(summary.cost.target_usd).toBe(22);
  });
});

describe('intervals and groups', () => {
  it('groups rows of a cluster', async () => {
    const scores = [1, 1, 0, 0, 1, 0, 1, 1];
    const results = scores.map((score, i) => result(i, score, { cluster: `pair-${Math.floor(i / 2)}` }));
    const { summary } = await run(runConfig({ rows: 8 }), results);
    // Standard error 0.239357, t on 3 = 3.182446: the upper end lies above 1.
    expect(summary.score_ci95?.[0]).toBeCloseTo(Math.max(0, 0.625 - 0.239357 * 3.182446), 5);
    expect(summary.score_ci95?.[1]).toBe(1);
    const plain = await run(
      runConfig({ rows: 8 }),
      scores.map((score, i) => result(i, score)),
    );
    expect(plain.summary.pass_rate_ci95?.[0]).toBeGreaterThan(summary.pass_rate_ci95?.[0] ?? 1);
  });
  it('gives Wilson intervals of the pass rate', async () => {
    const results = Array.from({ length: 20 }, (_, i) => result(i, i < 17 ? 1 : 0));
    const { summary } = await run(runConfig({ rows: 20 }), results);
    expect(summary.pass_rate_ci95?.[0]).toBeCloseTo(0.639581, 6);
    expect(summary.pass_rate_ci95?.[1]).toBeCloseTo(0.947631, 6);
  });
  it('sums up tags', async () => {
    const { summary } = await run(runConfig({ rows: 3 }), [
      result(0, 1, { tags: ['b', 'a'] }),
      result(1, 0.5, { tags: ['a'] }),
      judgeError(2, { tags: ['a', 'a'] }),
    ]);
    expect(summary.tags).toEqual({
      a: { rows: 3, passed: 1, counted: 2, score: 0.75 },
      b: { rows: 1, passed: 1, counted: 1, score: 1 },
    });
  });
  it('tallies warnings of results by kind', async () => {
    const results = [0, 1].map((i) => result(i, 1, { warnings: [`ambiguous: the answer names a, ${i}`] }));
    expect((await run(runConfig({ rows: 2 }), results)).summary.warnings).toContain('2 results: ambiguous');
  });
  it('says that no model judged', async () => {
    const config = runConfig({ rows: 1, eval: { judges: [{ type: 'lexical' }] } });
    const { summary } = await run(config, [result(0, 1)]);
    expect(summary.judges).toEqual([{ id: 'lexical', type: 'lexical', model: null, is_model: false }]);
    expect(summary.warnings.join()).toMatch(/not by a model/);
  });
});

describe('baseline', () => {
  const outcome = (index: number, passed: boolean, fields: Partial<Outcome> = {}): Outcome => ({
    row_id: `row-${index}`,
    content: contentHash(`question ${index}`, null),
    status: 'scored',
    passed,
    score: passed ? 1 : 0,
    ...fields,
  });
  const against = (outcomes: readonly Outcome[], config: RunConfig = runConfig({ type: 'qa', rows: 1 })) => ({
    baseline: { config: { ...config, run_id: 'r-22222222222222222222222222' }, outcomes: chunksOf(outcomes) },
  });
  const qa = (rows: number, thresholds = {}) => runConfig({ type: 'qa', rows, eval: { thresholds } });

  it('one broken and one mended row of three: same rate, and the run fails', async () => {
    const results = [result(0, 0), result(1, 1), result(2, 1)];
    const then = [outcome(0, true), outcome(1, true), outcome(2, false)];
    const { summary } = await run(qa(3, { pass_rate: 0.6, max_score_drop: 0 }), results, against(then));
    expect(summary.baseline).toMatchObject({
      same: 3,
      new: 0,
      regressed: ['row-0'],
      fixed: ['row-2'],
      still_failing: [],
      delta: 0,
      delta_same: 0,
      p_value: expect.closeTo(0.5, 9),
    });
    expect(summary.decision.reasons.map(({ rule }) => rule)).toEqual(['fail_on_regression']);
    expect(summary.status).toBe('failed');
  });
  it('a new failing row is no regression', async () => {
    const { summary } = await run(qa(2, { pass_rate: 0.5 }), [result(0, 1), result(1, 0)], against([outcome(0, true)]));
    expect(summary.baseline).toMatchObject({ same: 1, new: 1, regressed: [] });
    expect(summary.status).toBe('passed');
  });
  it('a removed row is reported and no regression', async () => {
    const then = [outcome(0, true), outcome(5, true), outcome(6, false)];
    const { summary } = await run(qa(1), [result(0, 1)], against(then));
    expect(summary.baseline).toMatchObject({ removed: ['row-5', 'row-6'], removed_passed: ['row-5'], regressed: [] });
    expect(summary.warnings.join()).toContain('1 row that passed in the baseline are gone: row-5');
    expect(summary.status).toBe('passed');
  });
  it('a changed row is neither regressed nor fixed', async () => {
    const then = [outcome(0, true, { content: 'ffffffffffffffff' }), outcome(1, true)];
    const { summary } = await run(qa(2, { pass_rate: 0.5 }), [result(0, 0), result(1, 1)], against(then));
    expect(summary.baseline).toMatchObject({ same: 1, changed: ['row-0'], regressed: [], fixed: [] });
    expect(summary.status).toBe('passed');
  });
  it('a row without a verdict now is unknown, a row without an answer regressed', async () => {
    const results = [judgeError(0), targetError(1), result(2, 1)];
    const then = [outcome(0, true), outcome(1, true), outcome(2, true)];
    const { summary } = await run(qa(3, { min_coverage: 0, pass_rate: 0 }), results, against(then));
    expect(summary.baseline).toMatchObject({ unknown: ['row-0'], regressed: ['row-1'] });
    expect(summary.baseline?.delta_same).toBeCloseTo(-0.5, 12);
  });
  it('what the baseline could not judge is no evidence', async () => {
    const then = [outcome(0, false, { status: 'judge_error', score: null }), outcome(1, false)];
    const { summary } = await run(qa(2), [result(0, 1), result(1, 1)], against(then));
    expect(summary.baseline).toMatchObject({ fixed: ['row-1'], still_failing: [], pass_rate: 0 });
  });
  it.each([
    { name: 'over all rows', same_rows_only: false, delta: -0.5, gate: 'fail' },
    { name: 'over the same rows', same_rows_only: true, delta: 0, gate: 'pass' },
  ])('measures the drop $name', async ({ same_rows_only, gate }) => {
    const config = qa(2, { pass_rate: 0, max_score_drop: 0.05, same_rows_only });
    const { summary } = await run(config, [result(0, 1), result(1, 0)], against([outcome(0, true)]));
    expect(summary.gate).toBe(gate);
  });
  it('fails a drop of 0.06 with 0.05 allowed, and passes 0.05', async () => {
    const results = (passed: number) => Array.from({ length: 100 }, (_, i) => result(i, i < passed ? 1 : 0));
    const then = Array.from({ length: 100 }, (_, i) => outcome(i, true));
    const config = qa(100, { pass_rate: 0, max_score_drop: 0.05, fail_on_regression: false });
    expect((await run(config, results(94), against(then))).summary.gate).toBe('fail');
    expect((await run(config, results(95), against(then))).summary.gate).toBe('pass');
  });
  it('without one, says so and passes', async () => {
    const { summary } = await run(qa(1), [result(0, 1)]);
    expect(summary.status).toBe('passed');
    expect(summary.warnings.join()).toContain('no baseline');
  });
  it('without one that is required, is an error', async () => {
    const { summary } = await run(qa(1, { require_baseline: true }), [result(0, 1)]);
    expect(summary.gate).toBe('error');
  });
  it('one in which nothing counts is none', async () => {
    const then = [outcome(0, false, { status: 'skipped', score: null })];
    const { summary } = await run(qa(1, { require_baseline: true }), [result(0, 1)], against(then));
    expect(summary.baseline).toBeNull();
    expect(summary.gate).toBe('error');
  });
  it('of another set-up warns, or is refused when strict', async () => {
    const other = runConfig({
      type: 'qa',
      rows: 1,
      eval: { rubric: 'other' },
      run: { target_hash: 'other', judge_hash: 'other' },
    });
    const loose = await run(qa(1), [result(0, 1)], against([outcome(0, true)], other));
    expect(loose.summary.baseline?.differences).toEqual(['target configuration', 'rubric']);
    expect(loose.summary.warnings.join()).toContain('the baseline differs in target configuration, rubric');
    expect(loose.summary.gate).toBe('pass');
    const strict = await run(qa(1, { strict_baseline: true }), [result(0, 1)], against([outcome(0, true)], other));
    expect(strict.summary.gate).toBe('error');
  });
  it('that cannot be read is a storage error', async () => {
    const broken = { ...against([outcome(0, true)]).baseline, outcomes: chunksOf([{ row_id: 'row-0' }]) };
    await expect(run(qa(1), [result(0, 1)], { baseline: broken })).rejects.toThrow(/baseline, line 1/);
  });
  it('of the same run has no change', async () => {
    const results = [result(0, 1), result(1, 0), judgeError(2)];
    const config = qa(3, { min_coverage: 0, pass_rate: 0 });
    const first = await run(config, results);
    const { summary } = await run(config, results, against(first.outcomes, config));
    expect(summary.baseline).toMatchObject({
      same: 3,
      new: 0,
      changed: [],
      regressed: [],
      fixed: [],
      delta: 0,
      mean_delta: 0,
      differences: [],
    });
  });
});

describe('whatever the results', () => {
  const anyResult = (rows: number, targets: readonly string[], trials: number) =>
    fc
      .record({
        kind: fc.constantFrom('scored', 'target_error', 'judge_error', 'skipped'),
        index: fc.nat(rows - 1),
        target: fc.constantFrom(...targets),
        trial: fc.nat(trials - 1),
        score: fc.double({ min: 0, max: 1, noNaN: true }),
        latency: fc.option(fc.nat(5000)),
        usd: fc.double({ min: 0, max: 1, noNaN: true }),
        tags: fc.subarray(['a', 'b']),
      })
      .map(({ kind, index, target, trial, score, latency, usd }) => {
        const spend = { ...result(0, 1).spend, target: { status: 'metered' as const, usd } };
        const tags = index % 2 === 0 ? ['even'] : [];
        const place = { target, trial, tags, cluster: index % 3 === 0 ? `c${index % 2}` : null };
        if (kind === 'scored') return result(index, score, { ...place, latency_ms: latency, spend });
        if (kind === 'target_error') return targetError(index, { ...place, cause: 'timeout', latency_ms: latency });
        return kind === 'judge_error' ? judgeError(index, { ...place, spend }) : skipped(index, 'time budget', place);
      });
  const scenario = fc
    .record({
      rows: fc.integer({ min: 1, max: 6 }),
      targets: fc.constantFrom(['a'], ['a', 'b']),
      trials: fc.integer({ min: 1, max: 3 }),
    })
    .chain((size) =>
      fc.record({
        size: fc.constant(size),
        results: fc.array(anyResult(size.rows, size.targets, size.trials), { maxLength: 40 }),
        policy: fc.constantFrom('all' as const, 'majority' as const, 'any' as const),
      }),
    );

  it('the order of the lines does not matter, to the last bit', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.infiniteStream(fc.nat()), async ({ size, results, policy }, random) => {
        const config = runConfig({
          rows: size.rows,
          targets: size.targets,
          eval: { trials: size.trials, trial_policy: policy },
        });
        const shuffled = results
          .map((line) => ({ line, key: random.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ line }) => line);
        expect(await run(config, shuffled)).toEqual(await run(config, results));
      }),
    );
  });

  it('every result of the manifest is counted once, and shares stay shares', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ size, results, policy }) => {
        const config = runConfig({
          rows: size.rows,
          targets: size.targets,
          eval: { trials: size.trials, trial_policy: policy },
        });
        const { summary } = await run(config, results);
        const { counts } = summary;
        const all = size.rows * size.targets.length * size.trials;
        expect(counts.results).toBe(all);
        expect(counts.scored + counts.target_error + counts.judge_error + counts.skipped).toBe(all);
        expect(Object.values(summary.skipped_by_cause).reduce((sum, n) => sum + n, 0)).toBe(counts.skipped);
        expect(summary.targets.reduce((sum, { counts: of }) => sum + of.results, 0)).toBe(all);
        expect(counts.passed + counts.failed).toBeLessThanOrEqual(size.rows);
        if (summary.score !== null) expect(summary.score).toBeGreaterThanOrEqual(0);
        if (summary.score !== null) expect(summary.score).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('never passes with a result missing, or with nothing scored', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ size, results, policy }) => {
        const thresholds = { min_coverage: 0, min_score: 0 };
        const config = runConfig({
          rows: size.rows,
          targets: size.targets,
          eval: { trials: size.trials, trial_policy: policy, thresholds },
        });
        const { summary } = await run(config, results);
        const seen = new Set(results.map(({ index, target, trial }) => `${index} ${target} ${trial}`));
        const isComplete = seen.size === size.rows * size.targets.length * size.trials;
        if (!isComplete || summary.counts.scored === 0) expect(summary.gate).toBe('error');
      }),
    );
  });
});
