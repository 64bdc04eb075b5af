import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costInNanos, limitInNanos, usdOfNanos } from '../../../src/core/cost/nano-usd.ts';

describe('dollars in whole billionths', () => {
  it.each([
    [0, 0, 0],
    [0.07, 70_000_000, 70_000_000],
    [0.1 + 0.2, 300_000_000, 300_000_000],
    [1.000_000_000_4, 1_000_000_000, 1_000_000_001],
    [3.5e-8, 35, 35],
    [1e-12, 0, 1],
    [1e300, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('$%d: a limit of %d, a cost of %d', (usd, limit, cost) => {
    expect([limitInNanos(usd), costInNanos(usd)]).toEqual([limit, cost]);
  });

  it('a limit is never above the dollars by a billionth, a cost never below', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1_000_000, noNaN: true }), (usd) => {
        const exact = usd * 1e9;
        expect(limitInNanos(usd) - exact).toBeLessThan(1);
        expect(exact - costInNanos(usd)).toBeLessThan(1);
        expect(usdOfNanos(costInNanos(usd))).toBeCloseTo(usd, 6);
      }),
    );
  });
});
