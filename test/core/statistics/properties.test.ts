import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kappa } from '../../../src/core/statistics/kappa.ts';
import { clusteredInterval, meanInterval } from '../../../src/core/statistics/mean-interval.ts';
import { mcnemar, newcombePaired } from '../../../src/core/statistics/paired.ts';
import { percentile } from '../../../src/core/statistics/percentile.ts';
import { tQuantile } from '../../../src/core/statistics/quantiles.ts';
import { wilsonInterval } from '../../../src/core/statistics/wilson.ts';

const count = fc.integer({ min: 0, max: 400 });

describe('properties', () => {
  it('a Wilson interval holds its rate, mirrors and stays in 0..1', () => {
    fc.assert(
      fc.property(count, count, (passed, failed) => {
        fc.pre(passed + failed > 0);
        const [lower, upper] = wilsonInterval(passed, passed + failed) ?? [Number.NaN, Number.NaN];
        const [mirrorLower, mirrorUpper] = wilsonInterval(failed, passed + failed) ?? [Number.NaN, Number.NaN];
        const rate = passed / (passed + failed);
        expect(lower).toBeGreaterThanOrEqual(0);
        expect(upper).toBeLessThanOrEqual(1);
        expect(lower).toBeLessThanOrEqual(rate);
        expect(upper).toBeGreaterThanOrEqual(rate);
        expect(lower).toBeCloseTo(1 - mirrorUpper, 12);
        expect(upper).toBeCloseTo(1 - mirrorLower, 12);
      }),
    );
  });

  it('more passes never lower a Wilson bound', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 299 }), (total, passed) => {
        fc.pre(passed < total);
        const before = wilsonInterval(passed, total) ?? [1, 1];
        const after = wilsonInterval(passed + 1, total) ?? [0, 0];
        expect(after[0]).toBeGreaterThan(before[0]);
        expect(after[1]).toBeGreaterThanOrEqual(before[1]);
      }),
    );
  });

  it('Newcombe holds its difference and changes sign with the runs', () => {
    fc.assert(
      fc.property(count, count, count, count, (bothPass, onlyCurrent, onlyBaseline, neither) => {
        fc.pre(bothPass + onlyCurrent + onlyBaseline + neither > 0);
        const there = newcombePaired({ bothPass, onlyCurrent, onlyBaseline, neither });
        const back = newcombePaired({ bothPass, onlyCurrent: onlyBaseline, onlyBaseline: onlyCurrent, neither });
        expect(there?.ci95[0]).toBeLessThanOrEqual((there?.delta ?? 0) + 1e-12);
        expect(there?.ci95[1]).toBeGreaterThanOrEqual((there?.delta ?? 0) - 1e-12);
        expect(there?.ci95[0]).toBeCloseTo(-(back?.ci95[1] ?? 0), 10);
      }),
    );
  });

  it('McNemar: the two directions share the middle', () => {
    fc.assert(
      fc.property(count, count, (regressed, fixed) => {
        fc.pre(regressed + fixed > 0);
        expect(mcnemar(regressed, fixed).midP + mcnemar(fixed, regressed).midP).toBeCloseTo(1, 8);
        expect(mcnemar(regressed + 1, fixed).exact).toBeLessThanOrEqual(mcnemar(regressed, fixed).exact + 1e-9);
      }),
    );
  });

  it('t narrows with degrees of freedom and grows with confidence', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0.51, max: 0.99, noNaN: true }), (df, p) => {
        expect(tQuantile(p, df + 1)).toBeLessThan(tQuantile(p, df));
        expect(tQuantile(p + 0.005, df)).toBeGreaterThan(tQuantile(p, df));
        expect(tQuantile(1 - p, df)).toBeCloseTo(-tQuantile(p, df), 6);
      }),
    );
  });

  it('κ is 1 on full agreement and the same for swapped raters', () => {
    const table = fc.array(fc.array(fc.nat(50), { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(table, fc.constantFrom('plain', 'linear', 'quadratic'), (counts, weights) => {
        const swapped = counts.map((_, i) => counts.map((row) => row[i] ?? 0));
        const value = kappa(counts, weights);
        if (value === null) expect(kappa(swapped, weights)).toBeNull();
        else expect(kappa(swapped, weights)).toBeCloseTo(value, 10);
      }),
    );
    expect(
      kappa(
        [
          [3, 0],
          [0, 4],
        ],
        'quadratic',
      ),
    ).toBe(1);
  });

  it('a percentile is one of the values, never below as large a share, and the maximum at 100', () => {
    const values = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 100 }), (unsorted, percent) => {
        const sorted = Float64Array.from(unsorted).sort();
        const value = percentile(sorted, percent) ?? Number.NaN;
        const atMost = unsorted.filter((other) => other <= value).length;
        const below = unsorted.filter((other) => other < value).length;
        expect(unsorted).toContain(value);
        expect(atMost * 100).toBeGreaterThanOrEqual(percent * unsorted.length);
        expect(below * 100).toBeLessThan(percent * unsorted.length);
        expect(percentile(sorted, 100)).toBe(Math.max(...unsorted));
      }),
    );
  });

  it('a clustered mean is the plain mean', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 40 }), (values) => {
        const clusters = values.map((_, i) => i % 3);
        expect(clusteredInterval(values, clusters)?.mean).toBe(meanInterval(values)?.mean);
      }),
    );
  });
});

describe('percentile', () => {
  it.each([
    { name: 'one value is every percentile', values: [1200], percent: 95, expected: 1200 },
    { name: 'p95 of 20 is the 19th, not the maximum', values: range(20), percent: 95, expected: 19 },
    { name: 'p50 of 20 is the 10th', values: range(20), percent: 50, expected: 10 },
    { name: 'p55 of 100 is the 55th', values: range(100), percent: 55, expected: 55 },
    { name: 'nothing has no percentile', values: [], percent: 95, expected: null },
  ])('$name', ({ values, percent, expected }) => expect(percentile(values, percent)).toBe(expected));
  it('refuses a share', () => expect(() => percentile([1], 0.95)).toThrow(RangeError));
});

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1);
}
