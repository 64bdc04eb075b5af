import type { Interval } from './interval.ts';
import { tQuantile } from './quantiles.ts';

export interface MeanEstimate {
  readonly mean: number;
  readonly n: number;
  /** Standard error of the mean; null with fewer than two independent values. */
  readonly standardError: number | null;
  /** Degrees of freedom of its t; null with it. */
  readonly df: number | null;
  readonly ci95: Interval | null;
}

/** Mean of independent values, SE = s/√n, t on n − 1. Null for no values. */
export function meanInterval(values: ArrayLike<number>): MeanEstimate | null {
  const n = values.length;
  if (n === 0) return null;
  const mean = meanOf(values);
  if (n < 2) return { mean, n, standardError: null, df: null, ci95: null };
  let squares = 0;
  for (let i = 0; i < n; i += 1) squares += ((values[i] ?? 0) - mean) ** 2;
  return estimate(mean, n, Math.sqrt(squares / (n - 1) / n), n - 1);
}

/**
 * Mean of values that come in clusters (rows of one document, user or template): variance of the cluster sums of
 * deviations, × C/(C − 1), t on C − 1. `clusters[i]` is any number that names the cluster of value i.
 */
export function clusteredInterval(values: ArrayLike<number>, clusters: ArrayLike<number>): MeanEstimate | null {
  const n = values.length;
  if (n !== clusters.length) throw new RangeError(`${n} values in ${clusters.length} clusters`);
  if (n === 0) return null;
  const mean = meanOf(values);
  const sums = new Map<number, number>();
  for (let i = 0; i < n; i += 1) {
    const cluster = clusters[i] ?? -1;
    sums.set(cluster, (sums.get(cluster) ?? 0) + (values[i] ?? 0) - mean);
  }
  const count = sums.size;
  if (count < 2) return { mean, n, standardError: null, df: null, ci95: null };
  let squares = 0;
  for (const sum of sums.values()) squares += sum * sum;
  return estimate(mean, n, Math.sqrt(((squares / (n * n)) * count) / (count - 1)), count - 1);
}

/** Sum in array order ÷ n; exact when all values are equal, so that equal scores have no spread. */
export function meanOf(values: ArrayLike<number>): number {
  const first = values[0] ?? Number.NaN;
  let deviation = 0;
  for (let i = 0; i < values.length; i += 1) deviation += (values[i] ?? 0) - first;
  return first + deviation / values.length;
}

function estimate(mean: number, n: number, standardError: number, df: number): MeanEstimate {
  const half = tQuantile(0.975, df) * standardError;
  return { mean, n, standardError, df, ci95: [mean - half, mean + half] };
}
