import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Score, scored, unscored } from '../../../src/core/schemas/score.ts';
import type { RowScores } from '../../../src/core/scoring/eval-scoring.ts';
import { decideRow } from '../../../src/core/scoring/row-outcome.ts';
import { judgeFailed } from './build.ts';

const rowScores = (scores: Record<string, Score>, failedChecks: string[] = []): RowScores => ({
  scores,
  failedChecks,
  warnings: [],
});
const values = (...numbers: number[]) =>
  rowScores(Object.fromEntries(numbers.map((value, i) => [`m${i}`, scored(value, 'r')])));
const all = { row_mark: 1, veto: [] };
const mark = { row_mark: 0.8, veto: [] };

describe('decideRow', () => {
  it.each([
    { name: 'one of two checks fails', given: values(1, 0), policy: all, score: 0.5, passed: false },
    { name: 'all checks hold', given: values(1, 1), policy: all, score: 1, passed: true },
    { name: 'exactly at the mark', given: values(0.8), policy: mark, score: 0.8, passed: true },
    { name: 'at the mark but for rounding', given: values(0.7, 0.8, 0.9), policy: mark, score: 0.8, passed: true },
    { name: 'just below the mark', given: values(0.7999999), policy: mark, score: 0.7999999, passed: false },
  ])('$name', ({ given, policy, score, passed }) => {
    const outcome = decideRow(given, policy);
    expect(outcome).toMatchObject({ status: 'scored', cause: null, passed });
    expect(outcome.score).toBeCloseTo(score, 12);
  });
  it('leaves out what does not apply', () => {
    const given = rowScores({ a: scored(0.9, 'r'), b: unscored('not-applicable', 'no claims') });
    expect(decideRow(given, mark)).toMatchObject({ status: 'scored', score: 0.9, passed: true });
  });
  it('is a judge error when nothing applies', () => {
    const given = rowScores({ b: unscored('not-applicable', 'no claims') });
    expect(decideRow(given, mark)).toMatchObject({ status: 'judge_error', cause: 'nothing-applicable', score: null });
    expect(decideRow(rowScores({}), mark)).toMatchObject({ status: 'judge_error', passed: false });
  });
  it('is a judge error when one scorer failed, whatever the others say', () => {
    const given = rowScores({ a: scored(1, 'r'), b: unscored('judge-unavailable', 'throttled') });
    expect(decideRow(given, mark, [judgeFailed('throttled')])).toMatchObject({
      status: 'judge_error',
      cause: 'throttled',
      passed: false,
      score: null,
    });
    expect(decideRow(given, mark).cause).toBe('unavailable');
  });
  it('keeps sub-metrics out of the mean, and their failure in the row', () => {
    const sub = scored(0, 'r', { in_row_score: false });
    expect(decideRow(rowScores({ a: scored(1, 'r'), 'a.b': sub }), all)).toMatchObject({ score: 1, passed: true });
    const failed = unscored('judge-unparsable', 'r', { in_row_score: false });
    expect(decideRow(rowScores({ a: scored(1, 'r'), 'a.b': failed }), all).status).toBe('judge_error');
  });
  it.each([
    { name: 'below half fails the row', safety: 0.49, passed: false, failedChecks: ['veto: safety'] },
    { name: 'half does not', safety: 0.5, passed: true, failedChecks: [] },
  ])('veto: $name', ({ safety, passed, failedChecks }) => {
    const given = rowScores({ a: scored(1, 'r'), safety: scored(safety, 'r') });
    expect(decideRow(given, { row_mark: 0.7, veto: ['safety'] })).toMatchObject({ passed, failedChecks });
  });
  it('counts a quality of which less is better as its opposite', () => {
    const harmful = scored(1, 'r', { higher_is_better: false });
    expect(decideRow(rowScores({ harmfulness: harmful }), { row_mark: 0.1, veto: ['harmfulness'] })).toMatchObject({
      score: 0,
      passed: false,
      failedChecks: ['veto: harmfulness'],
    });
  });
  it('without a mark, passes when no check failed', () => {
    const none = { row_mark: null, veto: [] };
    expect(decideRow(values(0.2), none).passed).toBe(true);
    expect(decideRow({ ...values(1), failedChecks: ['must_call: x'] }, none).passed).toBe(false);
  });
  it('scores within its parts, and passes only what it scored', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 }), (numbers) => {
        const outcome = decideRow(values(...numbers), mark);
        expect(outcome.score).toBeGreaterThanOrEqual(Math.min(...numbers) - 1e-12);
        expect(outcome.score).toBeLessThanOrEqual(Math.max(...numbers) + 1e-12);
        if (outcome.passed) expect(outcome.score).toBeGreaterThan(0.79);
      }),
    );
  });
});
