import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confirmRule, isTooLikely, NOISE, trialsNeeded, verdictOf } from '../../../src/core/aggregate/confirm-rule.ts';
import { binomialTail } from '../../../src/core/statistics/binomial.ts';

describe('confirmRule', () => {
  it.each([
    { name: 'one flip, three trials: two failures have chance 0.028', trials: 3, pairs: 1, blameAt: 2, chance: 0.028 },
    { name: 'two flips: 2 × 0.028 is too much', trials: 3, pairs: 2, blameAt: 3, chance: 0.002 },
    { name: 'fifty flips: all three at 0.001 each', trials: 3, pairs: 50, blameAt: 3, chance: 0.05 },
    { name: 'more than three trials can tell', trials: 3, pairs: 60, blameAt: 3, chance: 0.06 },
    { name: 'five trials, five flips: 5 × 0.00856', trials: 5, pairs: 5, blameAt: 3, chance: 0.0428 },
    { name: 'five trials, six flips: 6 × 0.00046', trials: 5, pairs: 6, blameAt: 4, chance: 0.00276 },
    { name: 'five trials, 109 flips: 109 × 0.00001', trials: 5, pairs: 109, blameAt: 5, chance: 0.00109 },
    { name: 'one trial never tells', trials: 1, pairs: 1, blameAt: 1, chance: 0.1 },
    { name: 'never less than half of many', trials: 20, pairs: 1, blameAt: 10, chance: 0.00001 },
    { name: 'a chance is no more than 1', trials: 1, pairs: 3000, blameAt: 1, chance: 1 },
    { name: 'nothing flipped', trials: 3, pairs: 0, blameAt: 2, chance: 0 },
  ])('$name', ({ trials, pairs, blameAt, chance }) => {
    const rule = confirmRule(trials, pairs);
    expect(rule).toMatchObject({ trials, blameAt });
    expect(rule.chance).toBeCloseTo(chance, 5);
  });

  it('keeps false alarms below 5 %, or says that it cannot', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 3000 }), (trials, pairs) => {
        const { blameAt, chance } = confirmRule(trials, pairs);
        expect(blameAt).toBeGreaterThanOrEqual(trials / 2);
        expect(blameAt).toBeLessThanOrEqual(trials);
        // Any blamed of `pairs` independent rows: 1 − (1 − p)^pairs, which the sum of chances bounds.
        const any = 1 - (1 - binomialTail(blameAt, trials, NOISE)) ** pairs;
        expect(any).toBeLessThanOrEqual(chance + 1e-12);
        if (isTooLikely(chance)) expect(blameAt).toBe(trials);
      }),
    );
  });

  it.each([
    { pairs: 1, needed: 2 },
    { pairs: 5, needed: 2 },
    { pairs: 6, needed: 3 },
    { pairs: 50, needed: 3 },
    { pairs: 51, needed: 4 },
    { pairs: 3000, needed: 5 },
  ])('$pairs flips need $needed trials', ({ pairs, needed }) => {
    expect(trialsNeeded(pairs)).toBe(needed);
  });
});

describe('verdictOf', () => {
  const rule = { trials: 5, blameAt: 4 };
  it.each([
    { name: 'nothing tried', passed: 0, failed: 0, verdict: null },
    { name: 'one pass leaves four failures', passed: 1, failed: 0, verdict: null },
    { name: 'a second pass puts them out of reach', passed: 2, failed: 0, verdict: 'flaky' },
    { name: 'three failures may still be chance', passed: 1, failed: 3, verdict: null },
    { name: 'the fourth is not', passed: 1, failed: 4, verdict: 'regressed' },
    { name: 'failures out of reach however many there were', passed: 2, failed: 3, verdict: 'flaky' },
  ])('$name', ({ passed, failed, verdict }) => {
    expect(verdictOf({ passed, failed }, rule)).toBe(verdict);
  });

  it('is the same whether trials end with it or all are asked', () => {
    const outcomes = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(outcomes, fc.nat(500), (passes, pairs) => {
        const limits = confirmRule(passes.length, pairs);
        const verdictAfter = (count: number) => {
          const passed = passes.slice(0, count).filter((pass) => pass).length;
          return verdictOf({ passed, failed: count - passed }, limits);
        };
        const verdicts = passes.map((_, at) => verdictAfter(at + 1)).filter((verdict) => verdict !== null);
        expect(new Set(verdicts).size).toBe(1);
        expect(verdicts[0]).toBe(verdictAfter(passes.length));
      }),
    );
  });

  it('never says both: what blames and what clears exclude each other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(100), fc.nat(3000), (trials, of, pairs) => {
        const failed = of % (trials + 1);
        const limits = confirmRule(trials, pairs);
        const whole = verdictOf({ passed: trials - failed, failed }, limits);
        expect(whole).toBe(failed >= limits.blameAt ? 'regressed' : 'flaky');
      }),
    );
  });
});
