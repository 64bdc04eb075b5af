import { describe, expect, it } from 'vitest';
import { holm } from '../../../src/core/statistics/holm.ts';
import { kappa } from '../../../src/core/statistics/kappa.ts';
import { clusteredInterval, meanInterval } from '../../../src/core/statistics/mean-interval.ts';
import { mcnemar, newcombePaired, pairedDifference } from '../../../src/core/statistics/paired.ts';
import { minimumDetectableEffect, sampleSize } from '../../../src/core/statistics/power.ts';
import { normalQuantile, tQuantile } from '../../../src/core/statistics/quantiles.ts';
import { passAtK, passHatK } from '../../../src/core/statistics/repeats.ts';
import { correctJudgedRate } from '../../../src/core/statistics/rogan-gladen.ts';
import { wilsonInterval, wilsonLower } from '../../../src/core/statistics/wilson.ts';

/** Equal to the six decimals that the reference prints. */
function close(actual: number | null | undefined, expected: number): void {
  expect(actual).not.toBeNull();
  expect(Math.abs((actual ?? Number.NaN) - expected)).toBeLessThan(1e-6);
}

describe('Wilson interval', () => {
  it.each([
    [5, 5, 0.565518, 1],
    [17, 20, 0.639581, 0.947631],
    [0, 10, 0, 0.277533],
    [95, 100, 0.88825, 0.978456],
    [460, 500, 0.892894, 0.940702],
  ])('of %i of %i', (successes, total, lower, upper) => {
    const interval = wilsonInterval(successes, total);
    close(interval?.[0], lower);
    close(interval?.[1], upper);
  });
  it('has one-sided lower bounds', () => {
    close(wilsonLower(95, 100), 0.900839);
    close(wilsonLower(460, 500), 0.897709);
  });
  it('knows nothing of no rows', () => expect(wilsonInterval(0, 0)).toBeNull());
  it('refuses counts that are no share', () => {
    expect(() => wilsonInterval(3, 2)).toThrow(RangeError);
    expect(() => wilsonInterval(Number.NaN, 2)).toThrow(RangeError);
  });
});

describe('quantiles', () => {
  it.each([
    [0.975, 1, 12.7062047362],
    [0.975, 2, 4.3026527297],
    [0.975, 3, 3.1824463053],
    [0.975, 9, 2.262157163],
    [0.975, 30, 2.0422724563],
    [0.975, 999, 1.9623414611],
    [0.95, 4, 2.1318467863],
    [0.995, 5, 4.0321429836],
  ])('t at %f with %i degrees of freedom', (probability, df, expected) => close(tQuantile(probability, df), expected));
  it.each([
    [0.5, 0],
    [0.8, 0.841621],
    [0.975, 1.959964],
    [0.995, 2.575829],
    [0.99999, 4.264891],
    [0.05, -1.644854],
  ])('normal at %f', (probability, expected) => close(normalQuantile(probability), expected));
  it('t nears the normal distribution', () => close(tQuantile(0.975, 999_999), 1.959966));
});

describe('means', () => {
  const scores = [1, 1, 0, 0, 1, 0, 1, 1];
  it('has the standard error of independent rows', () => close(meanInterval(scores)?.standardError, 0.182981));
  it('has the standard error of rows in pairs, and t on 3', () => {
    const estimate = clusteredInterval(scores, [0, 0, 1, 1, 2, 2, 3, 3]);
    close(estimate?.standardError, 0.239357);
    close((estimate?.ci95?.[1] ?? 0) - 0.625, 0.239357 * 3.182446);
  });
  it('equals the plain interval when every row is a cluster', () => {
    const plain = meanInterval([0.2, 0.9, 0.4]);
    close(clusteredInterval([0.2, 0.9, 0.4], [7, 8, 9])?.standardError, plain?.standardError ?? 0);
  });
  it('has no interval for one row or one cluster', () => {
    expect(meanInterval([0.4])).toEqual({ mean: 0.4, n: 1, standardError: null, df: null, ci95: null });
    expect(clusteredInterval([0.4, 0.6], [1, 1])?.ci95).toBeNull();
    expect(meanInterval([])).toBeNull();
  });
  it('has no spread for equal scores', () => expect(meanInterval([0.1, 0.1, 0.1])?.ci95).toEqual([0.1, 0.1]));
  it('pairs rows', () => {
    // differences 0.1, 0.3: mean 0.2, s = 0.141421, SE = 0.1, t(1) = 12.706205
    const estimate = pairedDifference([0.6, 0.8], [0.5, 0.5]);
    close(estimate?.mean, 0.2);
    close(estimate?.standardError, 0.1);
    close(estimate?.ci95?.[0], 0.2 - 1.2706205);
  });
});

describe('McNemar', () => {
  it.each([
    [8, 2, 0.054688, 0.032715],
    [5, 0, 0.03125, 0.015625],
    [4, 0, 0.0625, 0.03125],
    [3, 0, 0.125, 0.0625],
    [10, 10, 0.588099, 0.5],
  ])('%i regressed, %i fixed', (regressed, fixed, exact, midP) => {
    close(mcnemar(regressed, fixed).exact, exact);
    close(mcnemar(regressed, fixed).midP, midP);
  });
  it('has no evidence when nothing flipped', () => expect(mcnemar(0, 0)).toEqual({ exact: 1, midP: 1 }));
  it('copes with a million flips', () => close(mcnemar(500_000, 500_000).midP, 0.5));
});

describe('Newcombe, paired', () => {
  it.each([
    [36, 12, 2, 0, 0.2, 0.05693, 0.340428],
    [80, 2, 8, 10, -0.06, -0.130118, 0.005458],
    [90, 0, 5, 5, -0.05, -0.111244, -0.000655],
    [100, 0, 0, 0, 0, -0.036993, 0.036993],
  ])('%i both, %i only now, %i only then, %i neither', (bothPass, onlyCurrent, onlyBaseline, neither, delta, l, u) => {
    const result = newcombePaired({ bothPass, onlyCurrent, onlyBaseline, neither });
    close(result?.delta, delta);
    close(result?.ci95[0], l);
    close(result?.ci95[1], u);
  });
  it('knows nothing of no rows', () =>
    expect(newcombePaired({ bothPass: 0, onlyCurrent: 0, onlyBaseline: 0, neither: 0 })).toBeNull());
});

describe('power', () => {
  it('needs 969 rows for three points', () => expect(sampleSize(0.03, { rowVariance: 1 / 9 })).toBe(969));
  it('shows the smallest visible effect', () => {
    close(minimumDetectableEffect(100, { rowVariance: 0.1 }), 0.088594);
    close(minimumDetectableEffect(198, { rowVariance: 1 / 9, trialVariance: 1 / 6 }), 0.132733);
    close(minimumDetectableEffect(198, { rowVariance: 1 / 9, trialVariance: 1 / 6, trials: 10 }), 0.07567);
  });
});

describe('agreement', () => {
  const threeLevels = [
    [20, 5, 1],
    [4, 15, 3],
    [0, 2, 10],
  ];
  it.each([
    [
      [
        [20, 5],
        [10, 15],
      ],
      'plain',
      0.4,
    ],
    [
      [
        [90, 5],
        [5, 0],
      ],
      'plain',
      -0.052632,
    ],
    [threeLevels, 'plain', 0.612737],
    [threeLevels, 'linear', 0.677419],
    [threeLevels, 'quadratic', 0.747664],
  ] as const)('%j %s', (table, weights, expected) => close(kappa(table, weights), expected));
  it('is undefined when chance explains all agreement', () => {
    expect(
      kappa([
        [50, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect(kappa([])).toBeNull();
    expect(
      kappa([
        [0, 0],
        [0, 0],
      ]),
    ).toBeNull();
  });
});

describe('judged rate corrected', () => {
  it.each([
    [0.4, 0.7, 0.9, 1000, 200, 200, 0.166667, 0.056351, 0.262733],
    [0.5, 0.8, 0.8, 500, 100, 100, 0.5, 0.379975, 0.620025],
    [0.85, 0.75, 0.95, 500, 40, 60, 0.857143, 0.775779, 0.966222],
  ])('p %f, q0 %f, q1 %f', (rate, specificity, sensitivity, rows, negatives, positives, corrected, lower, upper) => {
    const result = correctJudgedRate({ rate, specificity, sensitivity, rows, negatives, positives });
    if (result.status !== 'corrected') throw new Error(result.status);
    close(result.rate, corrected);
    close(result.ci95[0], lower);
    close(result.ci95[1], upper);
  });
  it('calls a rate that the judge cannot have given a drift, not 100 %', () => {
    const judged = { rows: 1000, negatives: 200, positives: 200 };
    expect(correctJudgedRate({ ...judged, rate: 0.97, specificity: 0.9, sensitivity: 0.9 }).status).toBe('judge_drift');
    expect(correctJudgedRate({ ...judged, rate: 0.05, specificity: 0.9, sensitivity: 0.9 }).status).toBe('judge_drift');
  });
  it('says nothing with a judge no better than chance', () => {
    const judged = { rate: 0.5, rows: 10, negatives: 10, positives: 10 };
    expect(correctJudgedRate({ ...judged, specificity: 0.5, sensitivity: 0.5 }).status).toBe('uninformative');
  });
});

describe('repeats and families', () => {
  it('any of three, all of three', () => {
    close(passAtK(5, 2, 3), 0.9);
    close(passHatK(5, 4, 3), 0.4);
    expect(passAtK(5, 0, 3)).toBe(0);
    expect(passHatK(5, 5, 5)).toBe(1);
    expect(() => passHatK(3, 1, 4)).toThrow(RangeError);
  });
  it('adjusts by Holm', () => {
    const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
    expect(adjusted).toHaveLength(4);
    for (const [i, p] of [0.03, 0.06, 0.06, 0.02].entries()) close(adjusted[i], p);
    expect(() => holm([Number.NaN])).toThrow(RangeError);
  });
});
