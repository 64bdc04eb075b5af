import type { Interval } from '../statistics/interval.ts';
import { clusteredInterval, type MeanEstimate, meanInterval, meanOf } from '../statistics/mean-interval.ts';
import { wilsonInterval, wilsonOfRate } from '../statistics/wilson.ts';
import type { ReducedColumn } from './reduced-column.ts';

export interface RowStatistics {
  /** Rows that count: scored, or no answer (score 0). */
  readonly counted: number;
  readonly passed: number;
  /** Mean over the rows that count; null when none does. */
  readonly score: number | null;
  readonly scoreCi95: Interval | null;
  /** Standard error of the score and its t; null with fewer than two rows or clusters. */
  readonly scoreError: { readonly standardError: number; readonly df: number } | null;
  readonly passRate: number | null;
  readonly passRateCi95: Interval | null;
  /** Rows that are independent of each other: clusters where there are some. */
  readonly independent: number;
  /** Independent rows that the counted ones are worth for the pass rate; null when clusters leave that open. */
  readonly effectiveRows: number | null;
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
    return { ...NOTHING, counted, passed };
  }
  const values = scores.subarray(0, counted);
  const ofCounted = clusterOf?.subarray(0, counted) ?? null;
  return {
    counted,
    passed,
    ...scoreOf(values, ofCounted),
    passRate: passed / counted,
    ...passRateInterval(rows, passed, counted, ofCounted),
    independent: ofCounted === null ? counted : new Set(ofCounted).size,
  };
}

const NOTHING = {
  score: null,
  scoreCi95: null,
  scoreError: null,
  passRate: null,
  passRateCi95: null,
  independent: 0,
  effectiveRows: null,
};

export function withinShare(interval: Interval | null): Interval | null {
  return interval === null ? null : [Math.max(0, interval[0]), Math.min(1, interval[1])];
}

/** Rows without a cluster are each a cluster of their own; −1 − row never meets a real one. */
export function clusterId(clusters: Int32Array | null, row: number): number {
  const cluster = clusters?.[row] ?? -1;
  return cluster === -1 ? -2 - row : cluster;
}

function scoreOf(
  values: Float64Array,
  clusters: Int32Array | null,
): Pick<RowStatistics, 'score' | 'scoreCi95' | 'scoreError'> {
  const estimate = clusters === null ? meanInterval(values) : clusteredInterval(values, clusters);
  const scoreCi95 = withinShare(estimate?.ci95 ?? null);
  return { score: estimate?.mean ?? meanOf(values), scoreCi95, scoreError: errorOf(estimate) };
}

export function errorOf(estimate: MeanEstimate | null): RowStatistics['scoreError'] {
  const { standardError = null, df = null } = estimate ?? {};
  return standardError === null || df === null ? null : { standardError, df };
}

/** Wilson; with clusters over as many rows as the clustered variance is worth. */
function passRateInterval(
  rows: ReducedColumn,
  passed: number,
  counted: number,
  clusters: Int32Array | null,
): Pick<RowStatistics, 'passRateCi95' | 'effectiveRows'> {
  if (clusters === null) return { passRateCi95: wilsonInterval(passed, counted), effectiveRows: counted };
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
  if (naive === null || clustered === null) return { passRateCi95: null, effectiveRows: null };
  const designEffect = naive === 0 ? counted / new Set(clusters).size : Math.max(1, (clustered / naive) ** 2);
  const effectiveRows = counted / designEffect;
  return { passRateCi95: wilsonOfRate(passed / counted, effectiveRows), effectiveRows };
}
