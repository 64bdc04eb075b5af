import type { Interval } from '../statistics/interval.ts';
import { clusteredInterval, meanInterval, meanOf } from '../statistics/mean-interval.ts';
import { wilsonInterval, wilsonOfRate } from '../statistics/wilson.ts';
import type { ReducedColumn } from './reduced-column.ts';

export interface RowStatistics {
  /** Rows that count: scored, or no answer (score 0). */
  readonly counted: number;
  readonly passed: number;
  /** Mean over the rows that count; null when none does. */
  readonly score: number | null;
  readonly scoreCi95: Interval | null;
  readonly passRate: number | null;
  readonly passRateCi95: Interval | null;
}

/** Score and pass rate of rows. `clusters` names each row's cluster, −1 for none; null when rows are independent. */
export function summarizeRows(rows: ReducedColumn, clusters: Int32Array | null): RowStatistics {
  const scores = new Float64Array(rows.length);
  const clusterOf = clusters === null ? null : new Int32Array(rows.length);
  let counted = 0;
  let passed = 0;
  for (let row = 0; row < rows.length; row += 1) {
    if (!rows.counts(row)) continue;
    scores[counted] = rows.scoreAt(row);
    if (clusterOf !== null) clusterOf[counted] = clusterId(clusters, row);
    counted += 1;
    if (rows.passedAt(row)) passed += 1;
  }
  if (counted === 0) {
    return { counted, passed, score: null, scoreCi95: null, passRate: null, passRateCi95: null };
  }
  const values = scores.subarray(0, counted);
  return {
    counted,
    passed,
    ...scoreOf(values, clusterOf?.subarray(0, counted) ?? null),
    passRate: passed / counted,
    passRateCi95: passRateInterval(rows, passed, counted, clusterOf?.subarray(0, counted) ?? null),
  };
}

export function withinShare(interval: Interval | null): Interval | null {
  return interval === null ? null : [Math.max(0, interval[0]), Math.min(1, interval[1])];
}

/** Rows without a cluster are each a cluster of their own; −1 − row never meets a real one. */
export function clusterId(clusters: Int32Array | null, row: number): number {
  const cluster = clusters?.[row] ?? -1;
  return cluster === -1 ? -2 - row : cluster;
}

function scoreOf(values: Float64Array, clusters: Int32Array | null): Pick<RowStatistics, 'score' | 'scoreCi95'> {
  const estimate = clusters === null ? meanInterval(values) : clusteredInterval(values, clusters);
  return { score: estimate?.mean ?? meanOf(values), scoreCi95: withinShare(estimate?.ci95 ?? null) };
}

/** Wilson; with clusters over as many rows as the clustered variance is worth. */
function passRateInterval(
  rows: ReducedColumn,
  passed: number,
  counted: number,
  clusters: Int32Array | null,
): Interval | null {
  if (clusters === null) return wilsonInterval(passed, counted);
  const flags = new Float64Array(counted);
  let n = 0;
  for (let row = 0; row < rows.length; row += 1) {
    if (!rows.counts(row)) continue;
    flags[n] = rows.passedAt(row) ? 1 : 0;
    n += 1;
  }
  const naive = meanInterval(flags)?.standardError ?? null;
  const clustered = clusteredInterval(flags, clusters)?.standardError ?? null;
  // One cluster alone says nothing about the spread between clusters.
  if (naive === null || clustered === null) return null;
  const designEffect = naive === 0 ? counted / new Set(clusters).size : Math.max(1, (clustered / naive) ** 2);
  return wilsonOfRate(passed / counted, counted / designEffect);
}
