import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { disagree, type Reduced, reduceTargets, reduceTrials } from '../../../src/core/aggregate/reduce.ts';

const scored = (score: number, passed = score >= 0.8): Reduced => ({ status: 'scored', passed, score });
const noAnswer: Reduced = { status: 'target_error', passed: false, score: 0 };
const notJudged: Reduced = { status: 'judge_error', passed: false, score: null };
const notRun: Reduced = { status: 'skipped', passed: false, score: null };

describe('targets', () => {
  it.each([
    { name: 'the lowest score stands', parts: [scored(1), scored(0.9)], is: scored(0.9) },
    { name: 'no answer beats all', parts: [scored(0.1), notJudged, notRun, noAnswer], is: noAnswer },
    { name: 'a failure beats what could not be judged', parts: [scored(0.2), scored(1), notJudged], is: scored(0.2) },
    { name: 'a failure beats what did not run', parts: [scored(0.2), notRun], is: scored(0.2) },
    { name: 'what could not be judged beats a skip', parts: [scored(1), notJudged, notRun], is: notJudged },
    { name: 'a skip is never left out', parts: [scored(1), notRun], is: notRun },
    { name: 'nothing is skipped', parts: [], is: notRun },
  ])('$name', ({ parts, is }) => {
    expect(reduceTargets(parts)).toEqual(is);
    expect(reduceTargets([...parts].reverse())).toEqual(is);
  });
});

describe('trials', () => {
  it.each([
    { name: 'all: the mean', policy: 'all', parts: [scored(1), scored(0.8)], is: scored(0.9, true) },
    { name: 'all: one failure fails', policy: 'all', parts: [scored(1), scored(0.5)], is: scored(0.75, false) },
    { name: 'all: no answer is 0', policy: 'all', parts: [scored(1), noAnswer], is: noAnswer },
    {
      name: 'all: a judge’s failure is left out of the mean',
      policy: 'all',
      parts: [scored(0.5), scored(0.3), notJudged],
      is: scored(0.4, false),
    },
    { name: 'all: passes cannot make up for no verdict', policy: 'all', parts: [scored(1), notJudged], is: notJudged },
    {
      name: 'majority: no answer counts 0 in the mean',
      policy: 'majority',
      parts: [scored(1), scored(1), noAnswer],
      is: scored(2 / 3, true),
    },
    { name: 'majority: half is none', policy: 'majority', parts: [scored(1), scored(0)], is: scored(0.5, false) },
    {
      name: 'majority: no verdict is no pass',
      policy: 'majority',
      parts: [scored(1), notJudged, notJudged],
      is: scored(1, false),
    },
    {
      name: 'majority: a skip may still decide',
      policy: 'majority',
      parts: [scored(1), scored(0), notRun],
      is: notRun,
    },
    {
      name: 'majority: a skip that cannot decide',
      policy: 'majority',
      parts: [scored(0), scored(0), notRun],
      is: scored(0, false),
    },
    {
      name: 'majority: decided without the skip',
      policy: 'majority',
      parts: [scored(1), scored(1), notRun],
      is: scored(1, true),
    },
    {
      name: 'any: one pass is enough',
      policy: 'any',
      parts: [noAnswer, notJudged, scored(0.9)],
      is: scored(0.45, true),
    },
    { name: 'any: no answers at all', policy: 'any', parts: [noAnswer, noAnswer], is: noAnswer },
    { name: 'any: no verdicts at all', policy: 'any', parts: [notJudged, notJudged], is: notJudged },
    { name: 'any: nothing ran', policy: 'any', parts: [notRun, notRun], is: notRun },
    { name: 'one trial is itself', policy: 'majority', parts: [notJudged], is: notJudged },
  ] as const)('$name', ({ policy, parts, is }) => {
    for (const order of [parts, [...parts].reverse()]) {
      const reduced = reduceTrials(order, policy);
      expect({ ...reduced, score: null }).toEqual({ ...is, score: null });
      if (is.score === null) expect(reduced.score).toBeNull();
      else expect(reduced.score).toBeCloseTo(is.score, 12);
    }
  });
});

it('trials disagree only where they were evaluated', () => {
  expect(disagree([scored(1), scored(0)])).toBe(true);
  expect(disagree([scored(1), noAnswer])).toBe(true);
  expect(disagree([scored(1), notJudged, notRun])).toBe(false);
});

it('what passes was scored, and what was not scored has no score above 0', () => {
  const part = fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }).map((score) => scored(score)),
    fc.constantFrom(noAnswer, notJudged, notRun),
  );
  const policies = fc.constantFrom('all' as const, 'majority' as const, 'any' as const);
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 7 }), policies, (parts, policy) => {
      for (const reduced of [reduceTrials(parts, policy), reduceTargets(parts)]) {
        if (reduced.passed) expect(reduced.status).toBe('scored');
        if (reduced.status === 'scored') expect(reduced.score).not.toBeNull();
        else expect(reduced.score ?? 0).toBe(0);
        if (reduced.score !== null) expect(reduced.score).toBeLessThanOrEqual(1);
      }
      // Passing everywhere is the strictest rule.
      if (reduceTrials(parts, 'all').passed) expect(reduceTrials(parts, 'majority').passed).toBe(true);
      if (reduceTrials(parts, 'majority').passed) expect(reduceTrials(parts, 'any').passed).toBe(true);
    }),
  );
});
