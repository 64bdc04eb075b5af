import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../../../src/core/aggregate/content-hash.ts';
import type { Outcome, RowResult } from '../../../src/core/schemas/result.ts';
import { aggregateRun } from '../../../src/use-cases/aggregate/aggregate-run.ts';
import { chunksOf, judgeError, result, runConfig, skipped, targetError } from '../../core/aggregate/build.ts';

const outcome = (index: number, passed: boolean): Outcome => ({
  row_id: `row-${index}`,
  content: contentHash(`question ${index}`, null),
  status: 'scored',
  passed,
  score: passed ? 1 : 0,
});
const allPassed = (rows: number) => Array.from({ length: rows }, (_, index) => outcome(index, true));
const config = (rows: number, more: object = {}) =>
  runConfig({ type: 'qa', rows, eval: { confirm_trials: 3, ...more } });

/** Rows of which the first `failed` fail and the others pass. */
const main = (rows: number, failed: number) =>
  Array.from({ length: rows }, (_, index) => result(index, index < failed ? 0 : 1));
const again = (index: number, ...passed: readonly boolean[]): RowResult[] =>
  passed.map((pass, trial) => result(index, pass ? 1 : 0, { phase: 'confirm', trial }));

async function compare(run: ReturnType<typeof config>, results: readonly RowResult[], then: readonly Outcome[]) {
  const { summary, toConfirm } = await aggregateRun({
    config: run,
    results: [chunksOf(results)],
    baseline: { config: { ...run, run_id: 'r-22222222222222222222222222' }, outcomes: chunksOf(then) },
    finishedAt: '2025-01-01T00:01:00.000Z',
    stopped: null,
  });
  return { summary, toConfirm, confirmation: summary.baseline?.confirmation };
}

describe('what is tried again', () => {
  it('only rows that passed in the baseline and fail now', async () => {
    const results = [result(0, 0), result(1, 0), result(2, 1), targetError(3), judgeError(4)];
    const then = [outcome(0, true), outcome(1, false), outcome(2, true), outcome(3, true), outcome(4, true)];
    const { toConfirm } = await compare(config(5), results, then);
    expect(toConfirm).toEqual([
      { index: 0, targets: [0], blameAt: 3 },
      { index: 3, targets: [0], blameAt: 3 },
    ]);
  });

  it('only at the targets at which they failed', async () => {
    const run = runConfig({ type: 'qa', rows: 1, targets: ['a', 'b'], eval: { confirm_trials: 1 } });
    const results = [result(0, 1, { target: 'a' }), result(0, 0, { target: 'b' })];
    expect((await compare(run, results, allPassed(1))).toConfirm).toEqual([{ index: 0, targets: [1], blameAt: 1 }]);
  });

  it('what is decided already is not tried again, what was skipped is', async () => {
    // Three flips: all of three trials must fail, and one that passes clears.
    const tried = [...again(0, true), ...again(1, false, false), ...again(2, false, false, false)];
    const late = skipped(3, 'time budget', { phase: 'confirm', trial: 0 });
    const { toConfirm } = await compare(config(12), [...main(12, 4), ...tried, late], allPassed(12));
    expect(toConfirm.map(({ index }) => index)).toEqual([1, 3]);
  });

  it.each([
    { name: 'without confirm_trials', run: config(2, { confirm_trials: 0 }), results: main(2, 1) },
    { name: 'when nothing flipped', run: config(2), results: main(2, 0) },
    { name: 'when the run was stopped', run: config(2), results: [result(0, 0), skipped(1, 'time budget')] },
  ])('nothing $name', async ({ run, results }) => {
    expect((await compare(run, results, allPassed(2))).toConfirm).toEqual([]);
  });

  it.each([
    { name: 'ten flips of ten', rows: 10, failed: 10, tried: 10 },
    { name: 'eleven flips of eleven', rows: 11, failed: 11, tried: 0 },
    { name: 'a fifth of 100', rows: 100, failed: 20, tried: 20 },
    { name: 'more than a fifth of 100', rows: 100, failed: 21, tried: 0 },
  ])('$name: $tried', async ({ rows, failed, tried }) => {
    const { toConfirm, confirmation } = await compare(config(rows), main(rows, failed), allPassed(rows));
    expect(toConfirm).toHaveLength(tried);
    if (tried > 0) return;
    expect(confirmation?.not_confirmed).toHaveLength(failed);
    expect(confirmation?.why).toContain(`${failed} of ${rows} rows that passed in the baseline flipped`);
  });

  it('no more than 3,000 further trials', async () => {
    const at = (confirm_trials: number) => compare(config(400, { confirm_trials }), main(400, 60), allPassed(400));
    expect((await at(50)).toConfirm).toHaveLength(60);
    const dear = await at(51);
    expect(dear.toConfirm).toEqual([]);
    expect(dear.confirmation?.why).toContain('takes 3060 further trials where 3000 are allowed');
  });
});

describe('what comes of it', () => {
  it.each([
    { name: 'most fail too: regressed', trials: again(0, true, false, false), verdict: 'regressed' },
    { name: 'most pass: flaky', trials: again(0, true, false, true), verdict: 'flaky' },
    { name: 'none ran: not confirmed', trials: [], verdict: 'not_confirmed' },
    { name: 'one failure of three: not confirmed', trials: again(0, false), verdict: 'not_confirmed' },
    { name: 'two failures of three decide', trials: again(0, false, false), verdict: 'regressed' },
    { name: 'two passes of three decide', trials: again(0, true, true), verdict: 'flaky' },
    {
      name: 'a target error is a failure',
      trials: [0, 1].map((trial) => targetError(0, { phase: 'confirm', trial })),
      verdict: 'regressed',
    },
    {
      name: 'a judge error is none',
      trials: [0, 1, 2].map((trial) => judgeError(0, { phase: 'confirm', trial })),
      verdict: 'not_confirmed',
    },
  ] as const)('$name', async ({ trials, verdict }) => {
    const { summary, confirmation } = await compare(config(4), [...main(4, 1), ...trials], allPassed(4));
    const lists = { regressed: [], flaky: [], not_confirmed: [], [verdict]: ['row-0'] };
    expect(confirmation).toMatchObject({ trials: 3, flipped: 1, results: trials.length, ...lists });
    expect(summary.baseline?.regressed).toEqual(verdict === 'flaky' ? [] : ['row-0']);
    expect(summary.gate).toBe(verdict === 'flaky' ? 'pass' : 'fail');
  });

  it.each([
    {
      name: 'one of two fails: noise does that in 19 of 100 rows',
      trials: 2,
      further: [true, false],
      verdict: 'flaky',
    },
    { name: 'both of two fail: in 1 of 100', trials: 2, further: [false, false], verdict: 'regressed' },
    { name: 'one of one fails: nothing more can be asked', trials: 1, further: [false], verdict: 'regressed' },
    // 10 x 0.1³ x 0.9² + … = 0.00856 for one flip, below 0.05.
    { name: 'three of five fail', trials: 5, further: [false, true, false, true, false], verdict: 'regressed' },
  ] as const)('$name: $verdict', async ({ trials, further, verdict }) => {
    const run = config(1, { confirm_trials: trials });
    const { confirmation } = await compare(run, [...main(1, 1), ...again(0, ...further)], allPassed(1));
    expect(confirmation?.[verdict]).toEqual(['row-0']);
  });

  it('the more rows flip, the more failures it takes to blame one', async () => {
    // Six flips x 0.00856 = 0.051: three failures of five are no evidence any more, four are.
    const tried = [...again(0, false, false, false, true, true), ...again(1, false, true, false, false, false)];
    const others = [2, 3, 4, 5].flatMap((index) => again(index, true, true));
    const run = config(40, { confirm_trials: 5 });
    const { confirmation } = await compare(run, [...main(40, 6), ...tried, ...others], allPassed(40));
    expect(confirmation).toMatchObject({ blame_at: 4, regressed: ['row-1'], not_confirmed: [] });
    expect(confirmation?.flaky).toEqual(['row-0', 'row-2', 'row-3', 'row-4', 'row-5']);
  });

  it('says when its trials are too few to tell so many flips from noise', async () => {
    const tried = [0, 1, 2].flatMap((index) => again(index, false));
    const few = await compare(config(12, { confirm_trials: 1 }), [...main(12, 3), ...tried], allPassed(12));
    // 3 flips x 0.1; with three trials 3 x 0.001, with two 3 x 0.01.
    expect(few.confirmation).toMatchObject({ regressed: ['row-0', 'row-1', 'row-2'], trials_needed: 2 });
    expect(few.confirmation?.chance).toBeCloseTo(0.3, 12);
    expect(few.summary.warnings).toContain(
      '1 further trial cannot tell 3 flipped rows from noise: set confirm_trials to 2 or more',
    );
    const cleared = [0, 1, 2].flatMap((index) => again(index, true));
    const none = await compare(config(12, { confirm_trials: 1 }), [...main(12, 3), ...cleared], allPassed(12));
    expect(none.summary.warnings.join()).not.toContain('from noise');
  });

  it('the reason says what was confirmed', async () => {
    const all = await compare(config(4), [...main(4, 1), ...again(0, false, false, false)], allPassed(4));
    const textOf = ({ summary }: typeof all) =>
      summary.decision.reasons.find(({ rule }) => rule === 'fail_on_regression')?.text;
    expect(textOf(all)).toBe(
      '1 of 4 rows passed in the baseline and fail now, confirmed: tried again, each failed 2 of at most 3 further trials',
    );
    const open = skipped(1, 'cost cap', { phase: 'confirm', trial: 0 });
    const part = await compare(config(4), [...main(4, 2), ...again(0, false, false, false), open], allPassed(4));
    expect(textOf(part)).toContain('(1 confirmed by further trials, 1 not confirmed)');
    expect(part.summary.warnings.join()).toContain('1 row that flipped could not be confirmed');
  });

  it('names the cause that kept a row from being confirmed', async () => {
    const late = [0, 1, 2].map((trial) => skipped(0, 'cost cap', { phase: 'confirm', trial }));
    const { summary, confirmation } = await compare(config(4), [...main(4, 1), ...late], allPassed(4));
    expect(confirmation?.why).toBe('cost cap');
    // Confirming did not end the run: its rows were all evaluated.
    expect(summary).toMatchObject({ gate: 'fail', stopped: null, coverage: 1 });
  });

  it('a row that passes again at one target still fails at the other', async () => {
    const run = runConfig({ type: 'qa', rows: 1, targets: ['a', 'b'], eval: { confirm_trials: 1 } });
    const results = ['a', 'b'].map((target) => result(0, 0, { target }));
    const tried = ['a', 'b'].map((target) => result(0, target === 'a' ? 1 : 0, { target, phase: 'confirm' }));
    const { confirmation } = await compare(run, [...results, ...tried], allPassed(1));
    expect(confirmation).toMatchObject({ flipped: 1, regressed: ['row-0'], flaky: [] });
  });

  it('is in the summary exactly with confirm_trials and a baseline', async () => {
    expect((await compare(config(2), main(2, 0), allPassed(2))).confirmation).toMatchObject({ flipped: 0, why: null });
    expect((await compare(config(2, { confirm_trials: 0 }), main(2, 1), allPassed(2))).confirmation).toBeUndefined();
  });

  it('each flip ends in exactly one list, in whatever order the results come', async () => {
    const trial = fc.constantFrom<RowResult['status']>('scored', 'target_error', 'judge_error', 'skipped');
    const made = (status: RowResult['status'], index: number, at: number, passed: boolean): RowResult => {
      const fields = { phase: 'confirm', trial: at } as const;
      if (status === 'scored') return result(index, passed ? 1 : 0, fields);
      if (status === 'target_error') return targetError(index, fields);
      return status === 'judge_error' ? judgeError(index, fields) : skipped(index, 'cost cap', fields);
    };
    const tries = fc.array(fc.tuple(trial, fc.nat(4), fc.nat(2), fc.boolean()), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(tries, async (given) => {
        const results = [...main(8, 5), ...given.map((one) => made(...one))];
        const { confirmation, summary, toConfirm } = await compare(config(8), results, allPassed(8));
        const { regressed = [], flaky = [], not_confirmed = [] } = confirmation ?? {};
        expect([...regressed, ...flaky, ...not_confirmed].sort()).toEqual([0, 1, 2, 3, 4].map((n) => `row-${n}`));
        expect(summary.baseline?.regressed.toSorted()).toEqual([...regressed, ...not_confirmed].sort());
        const backwards = await compare(config(8), results.toReversed(), allPassed(8));
        expect(backwards).toEqual({ confirmation, summary, toConfirm });
      }),
      { numRuns: 100 },
    );
  });
});
