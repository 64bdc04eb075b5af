import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binomialTail } from '../../../src/core/statistics/binomial.ts';

describe('binomialTail', () => {
  it.each([
    { name: 'no hit is always reached', of: [0, 5, 0.1], expected: 1 },
    { name: 'at least one of two: 1 − 0.9²', of: [1, 2, 0.1], expected: 0.19 },
    { name: 'two of three: 3 × 0.01 × 0.9 + 0.001', of: [2, 3, 0.1], expected: 0.028 },
    { name: 'all of three', of: [3, 3, 0.1], expected: 0.001 },
    { name: 'three of five: 10 × 0.001 × 0.81 + 5 × 0.0001 × 0.9 + 0.00001', of: [3, 5, 0.1], expected: 0.00856 },
    { name: 'more hits than trials', of: [4, 3, 0.1], expected: 0 },
    { name: 'no trials', of: [0, 0, 0.5], expected: 1 },
  ] as const)('$name', ({ of: [hits, trials, rate], expected }) => {
    expect(binomialTail(hits, trials, rate)).toBeCloseTo(expected, 12);
  });

  it.each([
    [1, 3, 0],
    [1, 3, 1],
    [1, 3, Number.NaN],
    [1.5, 3, 0.5],
    [1, -1, 0.5],
    [1, Number.NaN, 0.5],
  ])('refuses %d of %d at %d', (hits, trials, rate) => {
    expect(() => binomialTail(hits, trials, rate)).toThrow(RangeError);
  });

  it('tails of hits and of misses leave nothing out', () => {
    const trials = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(trials, fc.nat(), fc.double({ min: 0.01, max: 0.99, noNaN: true }), (n, k, rate) => {
        const hits = (k % n) + 1;
        // At least `hits` hits, or at least n − hits + 1 misses.
        expect(binomialTail(hits, n, rate) + binomialTail(n - hits + 1, n, 1 - rate)).toBeCloseTo(1, 10);
      }),
    );
  });
});
