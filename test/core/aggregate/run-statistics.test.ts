import { describe, expect, it } from 'vitest';
import type { Outcome, RowResult } from '../../../src/core/schemas/result.ts';
import type { RunSummary } from '../../../src/core/schemas/summary.ts';
import { aggregateRun } from '../../../src/use-cases/aggregate/aggregate-run.ts';
import { chunksOf, judgeError, metricScores, result, runConfig } from './build.ts';

async function summarize(
  now: readonly RowResult[],
  then?: readonly RowResult[],
  config = runConfig({ rows: now.length }),
): Promise<RunSummary> {
  const input = { config, finishedAt: config.started_at, stopped: null };
  const former =
    then === undefined
      ? null
      : [...(await aggregateRun({ ...input, results: [chunksOf(then)], baseline: null })).outcomes];
  const baseline =
    former === null ? null : { config, outcomes: chunksOf(former.map((line) => JSON.parse(line) as Outcome)) };
  return (await aggregateRun({ ...input, results: [chunksOf(now)], baseline })).summary;
}

const rowsOf = (scores: readonly number[], fields: (index: number) => Partial<RowResult> = () => ({})) =>
  scores.map((score, index) => result(index, score, fields(index)));
const pattern = (passes: string) => [...passes].map((passed) => (passed === '1' ? 1 : 0));

describe('statistics of a run', () => {
  it('hold the golden standard error: rows in pairs', async () => {
    const summary = await summarize(rowsOf(pattern('11001011'), (index) => ({ cluster: `c${Math.floor(index / 2)}` })));
    expect(summary.statistics).toMatchObject({ rows: 8, clusters: 4, score_df: 3 });
    expect(summary.statistics?.score_standard_error).toBeCloseTo(0.239357, 6);
    // Design effect (.239357 ÷ .182981)² = 1.711111
    expect(summary.statistics?.effective_rows).toBeCloseTo(8 / 1.711111, 4);
  });
  it('of independent rows', async () => {
    const { statistics } = await summarize(rowsOf(pattern('11001011')));
    expect(statistics).toMatchObject({ rows: 8, clusters: null, effective_rows: 8, score_df: 7 });
    expect(statistics?.score_standard_error).toBeCloseTo(0.182981, 6);
  });
  it('count only rows that count', async () => {
    const { statistics } = await summarize([...rowsOf([1, 1, 0]), judgeError(3)]);
    expect(statistics?.rows).toBe(3);
  });

  it('say what the run cannot see, without a baseline from p(1 − p) of its steadied rate', async () => {
    const { statistics } = await summarize(rowsOf(pattern(`${'1'.repeat(38)}00`)));
    const visible = statistics?.smallest_visible;
    // p = 40 ÷ 44; 2.801585 × √(p(1 − p) ÷ 40); n = 7.848879 × p(1 − p) ÷ .0009
    const variance = (40 / 44) * (4 / 44);
    expect(visible?.basis).toBe('assumed');
    expect(visible?.pass_rate).toBeCloseTo(2.801585 * Math.sqrt(variance / 40), 5);
    expect(visible?.rows_for_3_points).toBe(Math.ceil((7.848879 * variance) / 0.0009));
  });
  it('say it from the flips, with a baseline', async () => {
    const then = rowsOf(pattern('1'.repeat(90) + '0'.repeat(10)));
    const now = rowsOf(pattern(`${'1'.repeat(87)}0001${'0'.repeat(9)}`));
    const summary = await summarize(now, then);
    const visible = summary.statistics?.smallest_visible;
    // 3 regressed, 1 fixed of 100: (4 + 1) ÷ 102 − ((1 − 3) ÷ 102)²
    const variance = 5 / 102 - (2 / 102) ** 2;
    expect(visible?.basis).toBe('baseline');
    expect(visible?.pass_rate).toBeCloseTo(2.801585 * Math.sqrt(variance / 100), 5);
    expect(summary.baseline).toMatchObject({ compared: 100, mean_delta_same: expect.closeTo(-0.02, 12) });
  });
  it('never claim to see everything because nothing flipped', async () => {
    const rows = rowsOf(pattern('1'.repeat(20)));
    expect((await summarize(rows, rows)).statistics?.smallest_visible?.pass_rate).toBeGreaterThan(0.1);
  });
  it('see less in clusters, more with more rows', async () => {
    const scores = pattern('1111100000'.repeat(4));
    const visibleOf = async (count: number, cluster: (index: number) => string | null) => {
      const rows = rowsOf(
        Array.from({ length: count }, (_, at) => scores[at % 40] ?? 0),
        (index) => ({ cluster: cluster(index) }),
      );
      return (await summarize(rows)).statistics?.smallest_visible?.pass_rate ?? 1;
    };
    const alone = await visibleOf(40, () => null);
    expect(await visibleOf(40, (index) => `c${Math.floor(index / 5)}`)).toBeGreaterThan(alone);
    expect(await visibleOf(80, () => null)).toBeLessThan(alone);
  });

  it('pair each row with itself: the golden differences', async () => {
    // .1 and .3: mean .2, SE .1, t on 1 is 12.706; held to −1..1.
    const summary = await summarize(rowsOf([0.6, 0.8]), rowsOf([0.5, 0.5]));
    expect(summary.baseline?.mean_delta_same).toBeCloseTo(0.2, 12);
    expect(summary.baseline?.mean_standard_error).toBeCloseTo(0.1, 12);
    expect(summary.baseline?.mean_ci95).toEqual([-1, 1]);
  });
  it('clusters widen the change of the pass rate and never narrow it', async () => {
    const then = rowsOf(pattern('1'.repeat(20)));
    const now = pattern('1'.repeat(15) + '0'.repeat(5));
    const inClusters = (index: number) => ({ cluster: `c${Math.floor(index / 5)}` });
    const alone = (await summarize(rowsOf(now), then)).baseline?.ci95;
    const together = (await summarize(rowsOf(now, inClusters), then)).baseline?.ci95;
    expect(together?.[0]).toBeLessThan(alone?.[0] ?? -1);
    const unchanged = (await summarize(rowsOf(pattern('1'.repeat(20)), inClusters), then)).baseline?.ci95;
    expect(unchanged?.[0]).toBeLessThan(0);
  });

  it('correct the floors for their number', async () => {
    const config = runConfig({
      rows: 40,
      eval: { thresholds: { metric_floors: { correctness: 0.9, relevance: 0.9 } } },
    });
    const now = Array.from({ length: 40 }, (_, index) =>
      result(index, 0.9, {
        scores: metricScores({ correctness: index % 4 === 0 ? 0.5 : 1, relevance: 0.95 + (index % 2) * 0.05 }),
      }),
    );
    const { statistics } = await summarize(now, undefined, config);
    const [correctness, relevance] = statistics?.floors ?? [];
    expect(correctness).toMatchObject({ metric: 'correctness', floor: 0.9 });
    // Mean .875, SE .0346688, t on 39 = −.72111: p = .2376; the other is far above its floor.
    expect(correctness?.p_value).toBeCloseTo(0.2376, 3);
    expect(correctness?.p_holm).toBeCloseTo(2 * (correctness?.p_value ?? 0), 12);
    expect(relevance?.p_value).toBeCloseTo(1, 6);
  });
});
