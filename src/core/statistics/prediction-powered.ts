import type { Interval } from './interval.ts';
import { meanOf } from './mean-interval.ts';
import { Z95 } from './quantiles.ts';

export interface PredictionPowered {
  /** Mean that people would have given. */
  readonly mean: number;
  readonly standardError: number;
  readonly ci95: Interval;
  /** How far the judge is trusted, 0..1: 0 is the human labels alone, so a useless judge does no harm. */
  readonly lambda: number;
}

export interface LabelledAndJudged {
  /** What people said, and what the judge said of the same answers, in the same order. */
  readonly human: ArrayLike<number>;
  readonly judged: ArrayLike<number>;
  /** What the judge said of answers that nobody labelled. */
  readonly judgedOnly: ArrayLike<number>;
}

/**
 * PPI++: mean of the human labels, moved by what the judge says of answers without a label. Works for pass (0 or 1) and
 * for graded values. Null with fewer than two labels or two judged answers, where no variance is known.
 */
export function predictionPoweredMean({ human, judged, judgedOnly }: LabelledAndJudged): PredictionPowered | null {
  const n = human.length;
  const all = judgedOnly.length;
  if (judged.length !== n) throw new RangeError(`${n} human labels beside ${judged.length} judgements`);
  if (n < 2 || all < 2) return null;
  const [humanMean, judgedMean] = [meanOf(human), meanOf(judged)];
  // The judge's variance over everything it judged: the small labelled part alone would make λ jump.
  const spread = variance(Float64Array.from([...toArray(judged), ...toArray(judgedOnly)]));
  let covariance = 0;
  for (let i = 0; i < n; i += 1) covariance += ((human[i] ?? 0) - humanMean) * ((judged[i] ?? 0) - judgedMean);
  covariance /= n - 1;
  const lambda = spread === 0 ? 0 : Math.min(1, Math.max(0, covariance / ((1 + n / all) * spread)));
  const rectified = Float64Array.from({ length: n }, (_, i) => (human[i] ?? 0) - lambda * (judged[i] ?? 0));
  const mean = humanMean + lambda * (meanOf(judgedOnly) - judgedMean);
  const standardError = Math.sqrt((lambda * lambda * variance(judgedOnly)) / all + variance(rectified) / n);
  return { mean, standardError, lambda, ci95: [mean - Z95 * standardError, mean + Z95 * standardError] };
}

function variance(values: ArrayLike<number>): number {
  const mean = meanOf(values);
  let squares = 0;
  for (let i = 0; i < values.length; i += 1) squares += ((values[i] ?? 0) - mean) ** 2;
  return squares / (values.length - 1);
}

const toArray = (values: ArrayLike<number>): number[] => Array.from(values);
