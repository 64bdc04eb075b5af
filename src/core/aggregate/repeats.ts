import type { RepeatSummary } from '../schemas/summary.ts';
import { shareInterval } from '../statistics/floor-evidence.ts';
import { clusteredInterval, meanInterval } from '../statistics/mean-interval.ts';
import { passAtK, passHatK } from '../statistics/repeats.ts';
import { wilsonOfRate } from '../statistics/wilson.ts';
import type { ResultFold } from './fold.ts';
import { SCORED, TARGET_ERROR } from './result-columns.ts';
import { clusterId, withinShare } from './row-statistics.ts';

/**
 * How repeatable each target is over its trials: rows whose trials disagree, and the chance that one of k trials passes,
 * or that all k do, as means over rows. Rows with a trial that has no verdict are left out. Empty with one trial a row.
 */
export function summarizeRepeats(fold: ResultFold): readonly RepeatSummary[] {
  const { targets, trials } = fold.manifest;
  if (trials < 2) return [];
  return targets.map((id, target) => summarizeTarget(fold, id, target));
}

function summarizeTarget(fold: ResultFold, id: string, target: number): RepeatSummary {
  const { rows, targets, trials } = fold.manifest;
  /** Rows by how many of their trials passed: 0, 1, …, all. */
  const byPasses = new Array<number>(trials + 1).fill(0);
  /** Of each row, −1 where a trial has no verdict. */
  const passesByRow = new Int8Array(rows).fill(-1);
  for (let row = 0; row < rows; row += 1) {
    const passes = passesOf(fold, (row * targets.length + target) * trials);
    if (passes === null) continue;
    byPasses[passes] = (byPasses[passes] ?? 0) + 1;
    passesByRow[row] = passes;
  }
  const counted = byPasses.reduce((sum, count) => sum + count, 0);
  const flaky = counted - (byPasses[0] ?? 0) - (byPasses[trials] ?? 0);
  const meanOf = (chance: (passes: number, k: number) => number) =>
    Array.from({ length: counted === 0 ? 0 : trials }, (_, at) => {
      const sum = byPasses.reduce((total, count, passes) => total + count * chance(passes, at + 1), 0);
      return Math.min(1, Math.max(0, sum / counted));
    });
  const intervalOf = (share: (passes: number) => number) =>
    intervalOverRows(
      fold,
      passesByRow,
      byPasses.map((_, passes) => share(passes)),
    );
  const perK = (chance: (passes: number, k: number) => number) =>
    Array.from({ length: counted === 0 ? 0 : trials }, (_, at) => intervalOf((passes) => chance(passes, at + 1)));
  return {
    target: id,
    trials,
    rows: counted,
    flaky,
    flake_rate: counted === 0 ? null : flaky / counted,
    pass_at: meanOf((passes, k) => passAtK(trials, passes, k)),
    pass_hat: meanOf((passes, k) => passHatK(trials, passes, k)),
    flake_rate_ci95: intervalOf((passes) => (passes === 0 || passes === trials ? 0 : 1)),
    pass_at_ci95: perK((passes, k) => passAtK(trials, passes, k)),
    pass_hat_ci95: perK((passes, k) => passHatK(trials, passes, k)),
  };
}

/** Over rows, not trials: trials of a row are no further evidence about rows. Shares of rows by Wilson, means by t. */
function intervalOverRows(
  { isClustered, clusterOf }: ResultFold,
  passesByRow: Int8Array,
  shareOfPasses: readonly number[],
): [number, number] | null {
  const counted = passesByRow.reduce((count, passes) => count + (passes < 0 ? 0 : 1), 0);
  const values = new Float64Array(counted);
  const clusters = isClustered ? new Int32Array(counted) : null;
  let n = 0;
  for (let row = 0; row < passesByRow.length; row += 1) {
    const passes = passesByRow[row] ?? -1;
    if (passes < 0) continue;
    values[n] = shareOfPasses[passes] ?? 0;
    if (clusters !== null) clusters[n] = clusterId(clusterOf, row);
    n += 1;
  }
  const estimate = clusters === null ? meanInterval(values) : clusteredInterval(values, clusters);
  if (estimate === null) return null;
  const isRate = !isClustered && values.every((value) => value === 0 || value === 1);
  const interval = isRate
    ? wilsonOfRate(estimate.mean, values.length)
    : withinShare(shareInterval(estimate.mean, values.length, estimate.ci95));
  return interval === null ? null : [interval[0], interval[1]];
}

/** Passed trials of a row; null when a trial has no verdict. */
function passesOf({ columns, manifest }: ResultFold, first: number): number | null {
  let passes = 0;
  for (let slot = first; slot < first + manifest.trials; slot += 1) {
    const status = columns.status[slot];
    if (status !== SCORED && status !== TARGET_ERROR) return null;
    passes += columns.passed[slot] ?? 0;
  }
  return passes;
}
