import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../src/core/config/parse-policy.ts';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import type { RunConfig } from '../../../src/core/schemas/run.ts';
import { scored } from '../../../src/core/schemas/score.ts';
import { resolvePolicy } from '../../../src/core/scoring/policy.ts';
import { aggregateRun } from '../../../src/use-cases/aggregate/aggregate-run.ts';
import { decideRun, type StoredResults } from '../../../src/use-cases/aggregate/decide-run.ts';
import {
  chunksOf,
  judgeError,
  metricScores,
  result,
  runConfig,
  skipped,
  targetError,
} from '../../core/aggregate/build.ts';

const ROWS = [0.95, 0.85, 0.75, 0.65];

const rows = (values: readonly number[] = ROWS): RowResult[] => values.map((value, index) => result(index, value));

function storedResults(config: RunConfig, results: readonly RowResult[], checks?: object): StoredResults {
  const rowLines = results.map(({ index, row_id, input }) => ({ index, id: row_id, input, checks: checks ?? {} }));
  return { config, results: () => [chunksOf(results)], rows: async () => chunksOf(rowLines) };
}

interface Setup {
  readonly config?: RunConfig;
  readonly results?: readonly RowResult[];
  readonly policy?: unknown;
  readonly baseline?: readonly RowResult[];
  readonly baselineConfig?: RunConfig;
  readonly stopped?: { cause: 'cancelled'; why: string };
  readonly checks?: object;
}

/** Runs, stores, and decides again. */
async function decideAgain(setup: Setup) {
  const { results = rows(), policy, checks } = setup;
  const config = setup.config ?? runConfig({ rows: results.length });
  const stored = storedResults(config, results, checks);
  const former = { ...(setup.baselineConfig ?? config), run_id: 'r-11111111111111111111111111' };
  const ofBaseline = setup.baseline?.map((line) => ({ ...line, run_id: former.run_id }));
  const then = ofBaseline === undefined ? null : storedResults(former, ofBaseline);
  const outcomesThen = then === null ? [] : [...(await finish(then)).outcomes];
  const baselineRun = () =>
    then === null ? null : { config: former, stored: then, outcomes: chunksOfLines(outcomesThen) };
  const ran = await finish(stored, baselineRun(), setup.stopped ?? null);
  const decided = await decideRun({
    ...stored,
    summary: ran.summary,
    outcomes: chunksOfLines([...ran.outcomes]),
    eval: policy === undefined ? config.eval : parsePolicy(policy, config.eval),
    baseline: baselineRun(),
  });
  return { decided, summary: ran.summary };
}

const finish = (
  { config, results }: StoredResults,
  baseline: Parameters<typeof aggregateRun>[0]['baseline'] = null,
  stopped: Setup['stopped'] | null = null,
) => aggregateRun({ config, results: results(), baseline, finishedAt: config.started_at, stopped });

async function* chunksOfLines(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(lines.join(''), 'utf8');
}

describe('deciding a stored run again', () => {
  it.each([
    { name: 'a failing run', results: rows() },
    { name: 'a passing run', results: rows([0.9, 0.95]) },
    { name: 'errors', results: [result(0, 1), targetError(1), judgeError(2), skipped(3, 'time budget')] },
    { name: 'a cancelled run', results: rows(), stopped: { cause: 'cancelled' as const, why: 'cancelled' } },
    { name: 'a lost result', results: rows(), config: runConfig({ rows: 5 }) },
    { name: 'a baseline', results: rows(), baseline: rows([1, 1, 1, 1]) },
  ])('gives the same bytes under the same policy: $name', async (setup) => {
    const { decided, summary } = await decideAgain(setup);
    expect(JSON.stringify(decided.decision)).toBe(JSON.stringify(summary.decision));
    expect(decided).toMatchObject({ gate: summary.gate, status: summary.status, message: summary.message });
    expect(decided.changed).toEqual({
      gate: false,
      policy: [],
      rows: { now_passed: [], now_failed: [], now_unknown: [] },
    });
  });

  it('passes rows that reach a lower mark, and says which', async () => {
    const { decided } = await decideAgain({
      results: rows([0.95, 0.75, 0.5]),
      policy: { thresholds: { min_score: 0.7 } },
    });
    expect(decided).toMatchObject({ gate: 'pass', stored: { gate: 'fail' }, changed: { gate: true } });
    expect(decided.changed.rows).toEqual({ now_passed: ['row-1'], now_failed: [], now_unknown: [] });
    expect(decided.changed.policy.map(({ field, from, to }) => [field, from, to])).toEqual([
      ['min_score', 0.8, 0.7],
      ['row_mark', 0.8, 0.7],
    ]);
    expect(decided.decision.policy_hash).not.toBe(decided.stored.decision.policy_hash);
  });

  it('fails rows on a veto that the run did not have', async () => {
    const config = runConfig({ rows: 2, eval: { metrics: ['correctness', 'safety'] } });
    const results = [0.9, 0.1].map((safety, index) =>
      result(index, 0.9, { scores: metricScores({ correctness: 1, safety }), passed: true, score: (1 + safety) / 2 }),
    );
    const { decided } = await decideAgain({
      config,
      results,
      policy: { veto: ['safety'], thresholds: { min_score: 0.5, pass_rate: 1 } },
    });
    expect(decided.gate).toBe('fail');
    expect(decided.changed.rows.now_failed).toEqual(['row-1']);
  });

  it('lifts a veto that the run had', async () => {
    const config = runConfig({ rows: 1, eval: { metrics: ['safety'], veto: ['safety'] } });
    const results = [
      result(0, 0.9, {
        scores: metricScores({ safety: 0.4 }),
        score: 0.4,
        passed: false,
        failed_checks: ['veto: safety'],
      }),
    ];
    const { decided } = await decideAgain({
      config,
      results,
      policy: { thresholds: { min_score: 0.4, pass_rate: 1 } },
    });
    expect(decided).toMatchObject({ gate: 'pass', changed: { rows: { now_passed: ['row-0'] } } });
  });

  it('takes a row’s own checks from its row', async () => {
    const config = runConfig({ type: 'rag', rows: 1 });
    const scores = {
      composite_score: scored(1, 'r'),
      contains_score: scored(0, 'r', { in_row_score: false }),
      answer_correctness_score: scored(1, 'r', { in_row_score: false }),
    };
    const results = [result(0, 1, { scores, passed: true, failed_checks: [] })];
    const policy = { thresholds: { min_answer_correctness_score: 0.9 } };
    expect((await decideAgain({ config, results, policy })).decided.gate).toBe('fail');
    const ofRow = { require_contains: false };
    expect((await decideAgain({ config, results, policy, checks: ofRow })).decided.gate).toBe('pass');
  });

  it('holds the baseline to the same row mark: a mark that moved is no regression', async () => {
    const policy = { thresholds: { min_score: 0.9, fail_on_regression: true, min_coverage: 0 } };
    const { decided } = await decideAgain({ results: rows([0.95, 0.85]), baseline: rows([0.95, 0.85]), policy });
    // The regression rule is among what held: 0.85 misses the mark in both runs.
    expect(decided.gate).toBe('pass');
    expect(decided.decision.reasons).toContainEqual(
      expect.objectContaining({ rule: 'fail_on_regression', outcome: 'pass', actual: 0 }),
    );
    expect(decided.changed.rows.now_failed).toEqual(['row-1']);
  });

  it('says that the baseline keeps its own verdicts where it cannot be decided again', async () => {
    const baselineConfig = runConfig({ type: 'qa', rows: 2 });
    const policy = { thresholds: { min_score: 0.9 } };
    const { decided } = await decideAgain({ results: rows([1, 1]), baseline: rows([1, 1]), baselineConfig, policy });
    expect(decided.warnings).toEqual(['the rows of the baseline keep the verdicts of their own policy']);
  });

  it('decides by interval what was decided by point', async () => {
    const results = rows(Array.from({ length: 40 }, (_, index) => (index < 36 ? 1 : 0)));
    const policy = { decide_by: 'interval', margin: 0.05, thresholds: { pass_rate: 0.85, min_score: 0.5 } };
    const { decided } = await decideAgain({ results, policy });
    // 36 of 40: Wilson 76.9 % to 96.0 % holds 85 %.
    expect(decided.decision.outcome).toBe('inconclusive');
    expect(decided.gate).toBe('fail');
    const lenient = await decideAgain({ results, policy: { ...policy, on_inconclusive: 'pass' } });
    expect(lenient.decided.gate).toBe('pass');
  });

  it('trials are reduced under the other policy', async () => {
    const config = runConfig({ rows: 1, eval: { trials: 3 } });
    const results = [1, 1, 0].map((value, trial) => result(0, value, { trial }));
    const policy = { trial_policy: 'majority', thresholds: { min_score: 0.5, pass_rate: 1 } };
    const { decided } = await decideAgain({
      config: { ...config, policy: resolvePolicy(config.eval) },
      results,
      policy,
    });
    expect(decided).toMatchObject({ gate: 'pass', changed: { rows: { now_passed: ['row-0'] } } });
  });

  it('gives the same bytes whatever parts the results lie in, and in whatever order', async () => {
    const results = rows(Array.from({ length: 30 }, (_, index) => (index % 7 === 0 ? 0.4 : 0.9)));
    const config = runConfig({ rows: 30 });
    const eval_ = parsePolicy({ decide_by: 'interval', margin: 0.02, thresholds: { min_score: 0.6 } }, config.eval);
    const { summary } = await finish(storedResults(config, results));
    const decisionOf = async (parts: readonly (readonly RowResult[])[]) => {
      const stored = { config, results: () => parts.map((part) => chunksOf(part)), rows: async () => null };
      return JSON.stringify(
        (await decideRun({ ...stored, summary, outcomes: null, eval: eval_, baseline: null })).decision,
      );
    };
    const whole = await decisionOf([results]);
    expect(await decisionOf([results.toReversed()])).toBe(whole);
    expect(await decisionOf([results.slice(20), results.slice(0, 20), results.slice(5, 9)])).toBe(whole);
  });

  it('refuses a threshold that the type does not take', async () => {
    await expect(decideAgain({ policy: { thresholds: { min_tool_score: 1 } } })).rejects.toThrow(/does not belong/);
  });
});
