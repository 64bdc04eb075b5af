import type { MetricSummary } from '../schemas/summary.ts';
import { clusteredInterval, meanInterval } from '../statistics/mean-interval.ts';
import type { ResultFold } from './fold.ts';
import { clusterId, errorOf, withinShare } from './row-statistics.ts';
import type { ReducedRows } from './rows.ts';

export interface MetricStatistics {
  readonly overall: Readonly<Record<string, MetricSummary>>;
  readonly byTarget: readonly Readonly<Record<string, MetricSummary>>[];
  /** The lowest mean among the metrics that enter the row score, or of which it is composed, as a share of what is good; null when none has values. */
  readonly weakest: { readonly name: string; readonly mean: number } | null;
}

/**
 * Means over scored rows: of a row's trials the mean, of its targets the worst value, as with row scores.
 * Names in alphabetical order, since results arrive in any.
 */
export function summarizeMetrics(fold: ResultFold, reduced: ReducedRows): MetricStatistics {
  const names = [...fold.columns.metrics.keys()].sort();
  const perName = names.map((name) => summarizeMetric(fold, reduced, name));
  const targets = fold.manifest.targets.map((_, target) =>
    Object.fromEntries(names.map((name, i) => [name, perName[i]?.byTarget[target] as MetricSummary])),
  );
  const overall = Object.fromEntries(names.map((name, i) => [name, perName[i]?.overall as MetricSummary]));
  return { overall, byTarget: targets, weakest: weakestOf(fold, overall) };
}

function summarizeMetric(fold: ResultFold, reduced: ReducedRows, name: string) {
  const { rows: count, targets, trials } = fold.manifest;
  const higherIsBetter = fold.columns.metricFlags.get(name)?.higherIsBetter ?? true;
  const column = fold.columns.metrics.get(name);
  const perTarget = targets.map(() => new Collected(count, fold));
  const overall = targets.length === 1 ? (perTarget[0] as Collected) : new Collected(count, fold);
  for (let row = 0; row < count; row += 1) {
    let worst = Number.NaN;
    for (let target = 0; target < targets.length; target += 1) {
      if (reduced.byTarget[target]?.statusAt(row) !== 'scored') continue;
      const first = (row * targets.length + target) * trials;
      let sum = 0;
      let n = 0;
      for (let slot = first; slot < first + trials; slot += 1) {
        const value = column?.get(slot) ?? Number.NaN;
        if (Number.isNaN(value)) continue;
        sum += value;
        n += 1;
      }
      if (n === 0) continue;
      const mean = sum / n;
      perTarget[target]?.add(row, mean);
      if (Number.isNaN(worst) || (higherIsBetter ? mean < worst : mean > worst)) worst = mean;
    }
    const counts = targets.length > 1 && reduced.rows.statusAt(row) === 'scored' && !Number.isNaN(worst);
    if (counts) overall.add(row, worst);
  }
  return { overall: overall.summary(), byTarget: perTarget.map((collected) => collected.summary()) };
}

/** Values of one metric, with the clusters of their rows. */
class Collected {
  private readonly values: Float64Array;
  private readonly clusters: Int32Array | null;
  private readonly fold: ResultFold;
  private readonly rows: number;
  private n = 0;

  constructor(rows: number, fold: ResultFold) {
    this.rows = rows;
    this.fold = fold;
    this.values = new Float64Array(rows);
    this.clusters = fold.isClustered ? new Int32Array(rows) : null;
  }

  add(row: number, value: number): void {
    this.values[this.n] = value;
    if (this.clusters !== null) this.clusters[this.n] = clusterId(this.fold.clusterOf, row);
    this.n += 1;
  }

  summary(): MetricSummary {
    const { n, rows } = this;
    const values = this.values.subarray(0, n);
    const estimate =
      this.clusters === null ? meanInterval(values) : clusteredInterval(values, this.clusters.subarray(0, n));
    const ci95 = withinShare(estimate?.ci95 ?? null);
    const error = errorOf(estimate);
    return {
      mean: estimate?.mean ?? null,
      n,
      unscored: rows - n,
      ci95: ci95 === null ? null : [...ci95],
      ...(error === null ? {} : { standard_error: error.standardError, df: error.df }),
    };
  }
}

/** Of a composite the parts that decide rows are told, not the composite itself. Efficiency is for information. */
const DECIDING: ReadonlySet<string> = new Set([
  'contains_score',
  'answer_correctness_score',
  'faithfulness_score',
  'answer_score',
  'tool_score',
  'reasoning_score',
]);

function weakestOf(fold: ResultFold, overall: Record<string, MetricSummary>): MetricStatistics['weakest'] {
  const hasComposite = Object.hasOwn(overall, 'composite_score');
  let weakest: { name: string; mean: number; goodness: number } | null = null;
  for (const [name, { mean }] of Object.entries(overall)) {
    const flags = fold.columns.metricFlags.get(name);
    if (mean === null || flags === undefined || !(hasComposite ? DECIDING.has(name) : flags.inRowScore)) continue;
    const goodness = flags.higherIsBetter ? mean : 1 - mean;
    if (weakest === null || goodness < weakest.goodness) weakest = { name, mean, goodness };
  }
  return weakest === null ? null : { name: weakest.name, mean: weakest.mean };
}
