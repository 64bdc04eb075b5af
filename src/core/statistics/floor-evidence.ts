import { holm } from './holm.ts';
import type { Interval } from './interval.ts';
import { normalProbability, tProbability } from './quantiles.ts';
import { wilsonOfRate } from './wilson.ts';

export interface EstimatedMean {
  readonly mean: number | null;
  readonly n: number;
  readonly standard_error?: number | undefined;
  readonly df?: number | undefined;
}

export interface FloorEvidence {
  readonly metric: string;
  readonly floor: number;
  /** Chance of a mean this low or lower if the true one were at its floor; null when nothing was measured. */
  readonly p_value: number | null;
  /** The same, corrected for all floors together: the chance that any of them fails wrongly stays that of one. */
  readonly p_holm: number | null;
}

/** How strongly each metric speaks against its floor, one-sided, in the order of `floors`. */
export function floorEvidence(
  metrics: Readonly<Record<string, EstimatedMean>>,
  floors: Readonly<Record<string, number>>,
): FloorEvidence[] {
  const tested = Object.entries(floors).map(([metric, floor]) => ({
    metric,
    floor,
    p: Object.hasOwn(metrics, metric) ? evidenceBelow(metrics[metric], floor) : null,
  }));
  const adjusted = holm(tested.flatMap(({ p }) => (p === null ? [] : [p])));
  let next = 0;
  return tested.map(({ metric, floor, p }) => ({
    metric,
    floor,
    p_value: p,
    p_holm: p === null ? null : (adjusted[next++] ?? 1),
  }));
}

/**
 * Interval of a mean of values in 0..1. Values without any spread tell nothing by their spread: then Wilson's, which holds for
 * whatever lies in 0..1. Null when not even two values are there.
 */
export function shareInterval(mean: number, n: number, ci95: Interval | null): Interval | null {
  if (ci95 === null) return null;
  return ci95[0] === ci95[1] ? wilsonOfRate(Math.min(1, Math.max(0, mean)), n) : ci95;
}

function evidenceBelow(metric: EstimatedMean | undefined, floor: number): number | null {
  const { mean = null, n = 0, standard_error, df } = metric ?? {};
  if (mean === null || standard_error === undefined || df === undefined) return null;
  if (standard_error > 0) return tProbability((mean - floor) / standard_error, df);
  // Without any spread: the test that Wilson's interval turns around.
  const spread = Math.sqrt((floor * (1 - floor)) / n);
  if (spread === 0) return mean < floor - 1e-9 ? 0 : 1;
  return normalProbability((mean - floor) / spread);
}
