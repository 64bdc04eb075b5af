import type { RowResult } from '../schemas/result.ts';
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
  /** Indexes of rows that failed first and passed when they were tried again. */
  readonly cleared: readonly number[];
}

export function reduceRows(fold: ResultFold): ReducedRows {
  const { rows: count, targets, trials, trialPolicy, confirmTrials } = fold.manifest;
  const confirmed = confirmResults(fold);
  const byTarget = targets.map(() => new ReducedColumn(count));
  const rows = (targets.length === 1 ? byTarget[0] : undefined) ?? new ReducedColumn(count);
  const flaky = new Uint8Array(count);
  const cleared = new Set<number>();

  for (let row = 0; row < count; row += 1) {
    for (const [target, column] of byTarget.entries()) {
      const pair = row * targets.length + target;
      const main: Reduced[] = [];
      for (let trial = 0; trial < trials; trial += 1) main.push(fold.trial(pair * trials + trial));
      let reduced = reduceTrials(main, trialPolicy);
      if (trials > 1 && disagree(main)) flaky[row] = 1;
      const again = confirmed.get(pair);
      if (again !== undefined && isCleared(reduced, again, confirmTrials)) {
        reduced = clear(main, again);
        flaky[row] = 1;
        cleared.add(row);
      }
      column.set(row, reduced);
    }
    if (targets.length !== 1) rows.set(row, reduceTargets(byTarget.map((column) => column.at(row))));
  }
  return { rows, byTarget, flaky, cleared: [...cleared].filter((row) => rows.passedAt(row)) };
}

/** A failure that most of the further trials did not repeat. Trials that are missing or errored confirm it. */
function isCleared(main: Reduced, again: readonly Reduced[], confirmTrials: number): boolean {
  const failed = main.status === 'target_error' || (main.status === 'scored' && !main.passed);
  return failed && again.filter(({ passed }) => passed).length * 2 > confirmTrials;
}

/** The row passes; its score is the mean over all its trials, so that the first failure still shows. */
function clear(main: readonly Reduced[], again: readonly Reduced[]): Reduced {
  const scores = [...main, ...again].flatMap(({ score }) => (score === null ? [] : [score]));
  return { status: 'scored', passed: true, score: scores.reduce((sum, score) => sum + score, 0) / scores.length };
}

function confirmResults(fold: ResultFold): Map<number, Reduced[]> {
  const byPair = new Map<number, Reduced[]>();
  for (const { result, target } of sortedConfirm(fold)) {
    const pair = result.index * fold.manifest.targets.length + target;
    const { status, passed } = result;
    const score = status === 'scored' ? result.score : status === 'target_error' ? 0 : null;
    byPair.set(pair, [...(byPair.get(pair) ?? []), { status, passed, score }]);
  }
  return byPair;
}

/** Confirm trials in manifest order. */
export function sortedConfirm(fold: ResultFold): readonly { readonly result: RowResult; readonly target: number }[] {
  const entries = [...fold.spending.confirm].sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([, entry]) => entry);
}
