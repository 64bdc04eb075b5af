import type { RepeatSummary } from '../schemas/summary.ts';
import { passAtK, passHatK } from '../statistics/repeats.ts';
import type { ResultFold } from './fold.ts';
import { SCORED, TARGET_ERROR } from './result-columns.ts';

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
  for (let row = 0; row < rows; row += 1) {
    const passes = passesOf(fold, (row * targets.length + target) * trials);
    if (passes !== null) byPasses[passes] = (byPasses[passes] ?? 0) + 1;
  }
  const counted = byPasses.reduce((sum, count) => sum + count, 0);
  const flaky = counted - (byPasses[0] ?? 0) - (byPasses[trials] ?? 0);
  const meanOf = (chance: (passes: number, k: number) => number) =>
    Array.from({ length: counted === 0 ? 0 : trials }, (_, at) => {
      const sum = byPasses.reduce((total, count, passes) => total + count * chance(passes, at + 1), 0);
      return Math.min(1, Math.max(0, sum / counted));
    });
  return {
    target: id,
    trials,
    rows: counted,
    flaky,
    flake_rate: counted === 0 ? null : flaky / counted,
    pass_at: meanOf((passes, k) => passAtK(trials, passes, k)),
    pass_hat: meanOf((passes, k) => passHatK(trials, passes, k)),
  };
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
