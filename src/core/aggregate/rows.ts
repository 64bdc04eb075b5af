import { verdictOf } from './confirm-rule.ts';
import { type FurtherTrials, furtherTrials } from './confirm-trials.ts';
import type { ResultFold } from './fold.ts';
import { disagree, type Reduced, reduceTargets, reduceTrials } from './reduce.ts';
import { ReducedColumn } from './reduced-column.ts';

/** The rows of a run, targets and trials reduced. */
export interface ReducedRows {
  readonly rows: ReducedColumn;
  /** By target position, then row. With one target the same as `rows`. */
  readonly byTarget: readonly ReducedColumn[];
  /** 1 where trials disagree, or where a failure was not confirmed. */
  readonly flaky: Uint8Array;
  /** 1 where the row failed before anything was tried again. */
  readonly failedFirst: Uint8Array;
  /** Indexes of rows that failed first and passed when they were tried again. */
  readonly cleared: readonly number[];
}

export function reduceRows(fold: ResultFold): ReducedRows {
  const { rows: count, targets, trials, trialPolicy } = fold.manifest;
  const further = furtherTrials(fold);
  const byTarget = targets.map(() => new ReducedColumn(count));
  const rows = (targets.length === 1 ? byTarget[0] : undefined) ?? new ReducedColumn(count);
  const flaky = new Uint8Array(count);
  const failedFirst = new Uint8Array(count);
  const cleared = new Set<number>();

  for (let row = 0; row < count; row += 1) {
    const first: Reduced[] = [];
    for (const [target, column] of byTarget.entries()) {
      const main = mainTrials(fold, row, target);
      let reduced = reduceTrials(main, trialPolicy);
      first.push(reduced);
      if (trials > 1 && disagree(main)) flaky[row] = 1;
      if (isFailure(reduced) && isCleared(further, row, target)) {
        reduced = clear(main, further.get(row, target).trials);
        flaky[row] = 1;
        cleared.add(row);
      }
      column.set(row, reduced);
    }
    if (isFailure(reduceTargets(first))) failedFirst[row] = 1;
    if (targets.length !== 1) rows.set(row, reduceTargets(byTarget.map((column) => column.at(row))));
  }
  return { rows, byTarget, flaky, failedFirst, cleared: [...cleared].filter((row) => rows.passedAt(row)) };
}

/** Results of the manifest's trials of one row at one target, as they were before anything was tried again. */
export function mainTrials(fold: ResultFold, row: number, target: number): readonly Reduced[] {
  const { targets, trials } = fold.manifest;
  const first = (row * targets.length + target) * trials;
  const main: Reduced[] = [];
  for (let trial = 0; trial < trials; trial += 1) main.push(fold.trial(first + trial));
  return main;
}

/** It was evaluated and did not pass; what has no verdict is no failure. */
export function isFailure({ status, passed }: Reduced): boolean {
  return status === 'target_error' || (status === 'scored' && !passed);
}

/** Trials that are missing or errored clear nothing. */
function isCleared(further: FurtherTrials, row: number, target: number): boolean {
  return further.pairs > 0 && verdictOf(further.get(row, target), further.rule) === 'flaky';
}

/** The row passes; its score is the mean over all its trials, so that the first failure still shows. */
function clear(main: readonly Reduced[], again: readonly Reduced[]): Reduced {
  const scores = [...main, ...again].flatMap(({ score }) => (score === null ? [] : [score]));
  return { status: 'scored', passed: true, score: scores.reduce((sum, score) => sum + score, 0) / scores.length };
}
