import { checkShare, type Interval } from './interval.ts';
import { type MeanEstimate, meanInterval } from './mean-interval.ts';
import { logGamma } from './special-functions.ts';
import { wilsonOfRate } from './wilson.ts';

/** Mean of the row-by-row differences current − baseline, with its interval. Null for no rows. */
export function pairedDifference(current: ArrayLike<number>, baseline: ArrayLike<number>): MeanEstimate | null {
  if (current.length !== baseline.length) throw new RangeError('paired values need the same number on both sides');
  return meanInterval(Float64Array.from(current, (value, i) => value - (baseline[i] ?? 0)));
}

/**
 * McNemar's test of "the current run is worse", one-sided. `regressed` rows passed only in the baseline,
 * `fixed` only now. No row flipped: no evidence, both are 1.
 */
export function mcnemar(regressed: number, fixed: number): { readonly exact: number; readonly midP: number } {
  const flips = regressed + fixed;
  checkShare(regressed, flips);
  if (flips === 0) return { exact: 1, midP: 1 };
  const logAt = (k: number) => logGamma(flips + 1) - logGamma(k + 1) - logGamma(flips - k + 1) - flips * Math.LN2;
  const atRegressed = Math.exp(logAt(regressed));
  // Sum the shorter tail, from its largest term outwards, so that small terms are not lost.
  const upperIsShorter = regressed > flips / 2;
  let term = upperIsShorter ? atRegressed : Math.exp(logAt(regressed - 1));
  let tail = 0;
  if (upperIsShorter) {
    for (let k = regressed; k <= flips && term > 0; k += 1) {
      tail += term;
      term *= (flips - k) / (k + 1);
    }
  } else {
    for (let k = regressed - 1; k >= 0 && term > 0; k -= 1) {
      tail += term;
      term *= k / (flips - k + 1);
    }
  }
  const exact = Math.min(1, upperIsShorter ? tail : 1 - tail);
  return { exact, midP: Math.max(0, exact - atRegressed / 2) };
}

/** Rows of a paired comparison by what passed. */
export interface PairedTable {
  readonly bothPass: number;
  readonly onlyCurrent: number;
  readonly onlyBaseline: number;
  readonly neither: number;
}

/** Difference of two pass rates over the same rows (current − baseline), Newcombe's method 10. Null for no rows. */
export function newcombePaired(table: PairedTable): { readonly delta: number; readonly ci95: Interval } | null {
  const { bothPass: a, onlyCurrent: b, onlyBaseline: c, neither: d } = table;
  const n = a + b + c + d;
  for (const count of [a, b, c, d]) checkShare(count, n);
  if (n === 0) return null;
  const current = (a + b) / n;
  const baseline = (a + c) / n;
  const delta = (b - c) / n;
  const [l1, u1] = wilsonOfRate(current, n);
  const [l2, u2] = wilsonOfRate(baseline, n);
  const phi = correlation(a, b, c, d);
  const distance = (x: number, y: number) => Math.sqrt(Math.max(0, x * x - 2 * phi * x * y + y * y));
  const lower = delta - distance(current - l1, u2 - baseline);
  const upper = delta + distance(u1 - current, baseline - l2);
  return { delta, ci95: [Math.max(-1, lower), Math.min(1, upper)] };
}

/** φ of the 2×2 table with Newcombe's continuity correction; 0 when a margin is empty. */
function correlation(a: number, b: number, c: number, d: number): number {
  const margins = (a + b) * (c + d) * (a + c) * (b + d);
  if (margins === 0) return 0;
  const half = (a + b + c + d) / 2;
  const product = a * d - b * c;
  const corrected = product > half ? product - half : Math.min(product, 0);
  return corrected / Math.sqrt(margins);
}
