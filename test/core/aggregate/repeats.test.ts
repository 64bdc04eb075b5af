import { describe, expect, it } from 'vitest';
import { ResultFold } from '../../../src/core/aggregate/fold.ts';
import { summarizeRepeats } from '../../../src/core/aggregate/repeats.ts';
import { RUN_ID, result } from './build.ts';

type Trial = 'pass' | 'fail' | 'no answer' | 'not judged' | 'skipped' | 'lost';

/** Rows as their trials ended, for each target. */
function repeatsOf(rows: readonly (readonly Trial[])[], targets = ['http']) {
  const trials = (rows[0]?.length ?? 0) / targets.length;
  const manifest = { runId: RUN_ID, rows: rows.length, targets, trials, confirmTrials: 0, trialPolicy: 'all' } as const;
  const fold = new ResultFold(manifest);
  for (const [index, row] of rows.entries()) {
    for (const [at, ended] of row.entries()) {
      if (ended === 'lost') continue;
      const of = { target: targets[Math.floor(at / trials)], trial: at % trials };
      fold.add(JSON.stringify(result(index, ended === 'pass' ? 1 : 0, { ...of, ...ENDED[ended] })));
    }
  }
  return summarizeRepeats(fold);
}

const ENDED = {
  pass: {},
  fail: {},
  'no answer': { status: 'target_error', cause: 'timeout', passed: false, score: 0 },
  'not judged': { status: 'judge_error', cause: 'timeout', passed: false, score: null },
  skipped: { status: 'skipped', cause: 'cancelled', passed: false, score: null },
} as const;

describe('repeats', () => {
  it('are not told of single trials', () => {
    expect(repeatsOf([['pass'], ['fail']])).toEqual([]);
  });
  const half = [expect.closeTo(0.094531, 5), expect.closeTo(0.905469, 5)];
  it('of rows that always agree are their pass rate, whatever k', () => {
    const [repeats] = repeatsOf([
      ['pass', 'pass'],
      ['fail', 'fail'],
    ]);
    expect(repeats).toEqual({
      target: 'http',
      trials: 2,
      rows: 2,
      flaky: 0,
      flake_rate: 0,
      pass_at: [0.5, 0.5],
      pass_hat: [0.5, 0.5],
      flake_rate_ci95: [0, expect.closeTo(0.65762, 5)],
      // 1 of 2 by Wilson: half ± 0.405469
      pass_at_ci95: [half, half],
      pass_hat_ci95: [half, half],
    });
  });
  it('of 4 passes in 5 and of 2 in 5 are the golden values', () => {
    const [four] = repeatsOf([['pass', 'fail', 'pass', 'pass', 'pass']]);
    expect(four?.pass_hat[2]).toBeCloseTo(0.4, 12);
    const [two] = repeatsOf([['pass', 'fail', 'fail', 'pass', 'fail']]);
    expect(two?.pass_at[2]).toBeCloseTo(0.9, 12);
  });
  it('count an answer that never came as not passed', () => {
    expect(repeatsOf([['pass', 'no answer']])).toMatchObject([
      { rows: 1, flaky: 1, pass_at: [0.5, 1], pass_hat: [0.5, 0] },
    ]);
  });
  it.each(['not judged', 'skipped', 'lost'] as const)('leave out a row with a trial that is %s', (unknown) => {
    const rows: Trial[][] = [
      ['pass', unknown],
      ['pass', 'pass'],
    ];
    expect(repeatsOf(rows)).toMatchObject([{ rows: 1, flaky: 0, pass_hat: [1, 1] }]);
  });
  it('of no complete row are unknown, not 0', () => {
    expect(repeatsOf([['pass', 'lost']])).toMatchObject([{ rows: 0, flake_rate: null, pass_at: [], pass_hat: [] }]);
  });
  it('stand apart for each target', () => {
    expect(repeatsOf([['pass', 'pass', 'pass', 'fail']], ['a', 'b'])).toMatchObject([
      { target: 'a', flake_rate: 0, pass_hat: [1, 1] },
      { target: 'b', flake_rate: 1, pass_hat: [0.5, 0] },
    ]);
  });
});
