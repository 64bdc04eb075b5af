import { checkShare, type Interval } from './interval.ts';
import { normalQuantile, Z95 } from './quantiles.ts';

/** Wilson score interval of a rate. Null for 0 of 0: nothing is known. */
export function wilsonInterval(successes: number, total: number, z: number = Z95): Interval | null {
  checkShare(successes, total);
  return total === 0 ? null : wilsonOfRate(successes / total, total, z);
}

/** Lower bound that the rate exceeds with the given confidence (one-sided). Null for 0 of 0. */
export function wilsonLower(successes: number, total: number, confidence = 0.95): number | null {
  return wilsonInterval(successes, total, normalQuantile(confidence))?.[0] ?? null;
}

/** The same for a rate over an effective number of rows that need not be whole (clustered rows). */
export function wilsonOfRate(rate: number, effectiveRows: number, z: number = Z95): Interval {
  const n = effectiveRows;
  const z2 = z * z;
  const centre = (rate + z2 / (2 * n)) / (1 + z2 / n);
  const half = (z / (1 + z2 / n)) * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n));
  // At 0 and 1 the bound is exact; arithmetic would leave a trace of 1e-17 that reads as "above zero".
  return [rate === 0 ? 0 : Math.max(0, centre - half), rate === 1 ? 1 : Math.min(1, centre + half)];
}
