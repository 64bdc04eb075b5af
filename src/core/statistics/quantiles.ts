import { regularizedBeta, solveIncreasing } from './special-functions.ts';

/** Two-sided 95 % point of the standard normal distribution. */
export const Z95 = 1.959963984540054;

/** Above this many degrees of freedom t and the normal distribution agree to 1e-6. */
const NORMAL_FROM_DF = 10_000_000;

/**
 * The t with P(T ≤ t) = probability, Student's distribution. Accurate to 1e-9.
 * Throws a RangeError for a probability outside (0, 1) or degrees of freedom below 1.
 */
export function tQuantile(probability: number, df: number): number {
  if (!(probability > 0 && probability < 1)) throw new RangeError(`a probability lies between 0 and 1: ${probability}`);
  if (!(df >= 1)) throw new RangeError(`degrees of freedom are at least 1: ${df}`);
  if (df > NORMAL_FROM_DF) return normalQuantile(probability);
  if (probability === 0.5) return 0;
  if (probability < 0.5) return -tQuantile(1 - probability, df);
  let high = 2;
  while (tCumulative(high, df) < probability) high *= 2;
  return solveIncreasing((t) => tCumulative(t, df), probability, 0, high);
}

/** The z with P(Z ≤ z) = probability, standard normal. Accurate to 1e-9. */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) throw new RangeError(`a probability lies between 0 and 1: ${probability}`);
  if (probability < 0.5) return -normalQuantile(1 - probability);
  return solveIncreasing(normalCumulative, probability, 0, 40);
}

/** P(T ≤ t), Student's distribution. Throws a RangeError for degrees of freedom below 1. */
export function tProbability(t: number, df: number): number {
  if (!(df >= 1)) throw new RangeError(`degrees of freedom are at least 1: ${df}`);
  if (t < 0) return 1 - tProbability(-t, df);
  return df > NORMAL_FROM_DF ? normalProbability(t) : tCumulative(t, df);
}

/** P(Z ≤ z), standard normal. */
export function normalProbability(z: number): number {
  return z < 0 ? 1 - normalCumulative(-z) : normalCumulative(z);
}

/** P(T ≤ t) for t ≥ 0. */
function tCumulative(t: number, df: number): number {
  return 1 - 0.5 * regularizedBeta(df / (df + t * t), df / 2, 0.5);
}

/** P(Z ≤ z) for z ≥ 0: a series while it converges fast, then the continued fraction of the upper tail. */
function normalCumulative(z: number): number {
  const density = Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
  if (z < 4) {
    let term = z;
    let sum = z;
    for (let i = 3; Math.abs(term) > 1e-17 * Math.abs(sum) && i < 400; i += 2) {
      term *= (z * z) / i;
      sum += term;
    }
    return 0.5 + density * sum;
  }
  let fraction = z;
  for (let i = 60; i >= 1; i -= 1) fraction = z + i / fraction;
  return 1 - density / fraction;
}
