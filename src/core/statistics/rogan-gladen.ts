import type { Interval } from './interval.ts';
import { Z95 } from './quantiles.ts';

export type CorrectedRate =
  | { readonly status: 'corrected'; readonly rate: number; readonly ci95: Interval }
  /**
   * The judged rate cannot come from a judge with these error rates: it drifted since it was calibrated. `rate` and
   * `ci95` are not held to 0..1: an interval that reaches into 0..1 may be chance, one that does not is none.
   */
  | { readonly status: 'judge_drift'; readonly rate: number; readonly ci95: Interval }
  /** The judge is no better than chance, so its rate says nothing. */
  | { readonly status: 'uninformative' };

export interface JudgedRate {
  /** Share of rows the judge passed, over `rows` rows. */
  readonly rate: number;
  readonly rows: number;
  /** True negative rate of the judge, over `negatives` rows that people failed. */
  readonly specificity: number;
  readonly negatives: number;
  /** True positive rate of the judge, over `positives` rows that people passed. */
  readonly sensitivity: number;
  readonly positives: number;
}

/** The pass rate that people would have given, estimated from the judge's rate and its known errors (Rogan–Gladen). */
export function correctJudgedRate(judged: JudgedRate): CorrectedRate {
  const { rate: p, rows: n, specificity: q0, sensitivity: q1, negatives: m0, positives: m1 } = judged;
  for (const share of [p, q0, q1]) if (!(share >= 0 && share <= 1)) throw new RangeError(`not a rate: ${share}`);
  for (const count of [n, m0, m1]) if (!(count > 0)) throw new RangeError(`a rate needs rows: ${count}`);
  if (q0 + q1 - 1 <= 1e-9) return { status: 'uninformative' };
  const rate = (p + q0 - 1) / (q0 + q1 - 1);

  const z2 = Z95 * Z95;
  const smoothP = (n * p + z2 / 2) / (n + z2);
  const smooth0 = (m0 * q0 + 1) / (m0 + 2);
  const smooth1 = (m1 * q1 + 1) / (m1 + 2);
  const slope = smooth0 + smooth1 - 1;
  if (slope <= 0) return { status: 'uninformative' };
  const centre = (smoothP + smooth0 - 1) / slope;
  const variance0 = (smooth0 * (1 - smooth0)) / (m0 + 2);
  const variance1 = (smooth1 * (1 - smooth1)) / (m1 + 2);
  const shift = 2 * z2 * (-(1 - centre) * variance0 + centre * variance1);
  const variance = (smoothP * (1 - smoothP)) / (n + z2) + (1 - centre) ** 2 * variance0 + centre ** 2 * variance1;
  const half = (Z95 * Math.sqrt(variance)) / slope;
  const ci95: Interval = [centre + shift - half, centre + shift + half];
  if (rate < -1e-9 || rate > 1 + 1e-9) return { status: 'judge_drift', rate, ci95 };
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  return { status: 'corrected', rate: clamp(rate), ci95: [clamp(ci95[0]), clamp(ci95[1])] };
}
