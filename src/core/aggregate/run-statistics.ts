import type { BaselineComparison, MetricSummary, RunStatistics } from '../schemas/summary.ts';
import { floorEvidence } from '../statistics/floor-evidence.ts';
import { minimumDetectableEffect, sampleSize } from '../statistics/power.ts';
import type { RowStatistics } from './row-statistics.ts';

const POINTS_WANTED = 0.03;

interface StatisticsInput {
  readonly figures: RowStatistics & { readonly metrics: Readonly<Record<string, MetricSummary>> };
  readonly baseline: BaselineComparison | null;
  readonly isClustered: boolean;
  readonly floors: Readonly<Record<string, number>>;
}

/** What the numbers of a run can bear: how far they reach, and what they cannot show. */
export function runStatistics({ figures, baseline, isClustered, floors }: StatisticsInput): RunStatistics {
  const { counted, independent, effectiveRows, scoreError } = figures;
  return {
    rows: counted,
    clusters: isClustered ? independent : null,
    effective_rows: effectiveRows,
    score_standard_error: scoreError?.standardError ?? null,
    score_df: scoreError?.df ?? null,
    smallest_visible: smallestVisible(figures, baseline),
    floors: floorEvidence(figures.metrics, floors),
  };
}

function smallestVisible(
  figures: RowStatistics,
  baseline: BaselineComparison | null,
): RunStatistics['smallest_visible'] {
  const { counted, passed, effectiveRows, scoreError } = figures;
  if (counted === 0 || effectiveRows === null) return null;
  const designEffect = counted / effectiveRows;
  const compared = baseline?.compared ?? 0;
  const isCompared = baseline !== null && compared > 0;
  const rowVariance = isCompared ? flipVariance(baseline, compared) : assumedVariance(passed / counted, counted);
  const rows = isCompared ? compared : counted;
  const standardError = isCompared ? (baseline.mean_standard_error ?? null) : (scoreError?.standardError ?? null);
  return {
    basis: isCompared ? 'baseline' : 'assumed',
    pass_rate: Math.min(1, minimumDetectableEffect(rows / designEffect, { rowVariance })),
    // The standard error holds rows and clusters already: one row of this variance is worth the whole run.
    score:
      standardError === null || standardError === 0
        ? null
        : Math.min(1, minimumDetectableEffect(1, { rowVariance: standardError * standardError })),
    rows_for_3_points: Math.ceil(sampleSize(POINTS_WANTED, { rowVariance }) * designEffect),
  };
}

/** Variance of a row's change between the two runs, one flip in each direction added half: none seen is not none there. */
function flipVariance({ regressed, fixed }: BaselineComparison, compared: number): number {
  const rows = compared + 2;
  const mean = (fixed.length - regressed.length) / rows;
  return (fixed.length + regressed.length + 1) / rows - mean * mean;
}

/**
 * The same without a baseline: p(1 − p) in each run, of which half is the row and comes again, so that p(1 − p) is left.
 * `rows` steady the rate (two passes and two failures more): all passed is not certain to pass.
 */
export function assumedVariance(passRate: number, rows: number): number {
  const rate = (passRate * rows + 2) / (rows + 4);
  return rate * (1 - rate);
}
