import type { RowResult } from '../schemas/result.ts';
import type { ResultFold } from './fold.ts';
import { disagree, type Reduced, reduceTargets, reduceTrials } from './reduce.ts';

/** The rows of a run, targets and trials reduced. */
export interface ReducedRows {
  readonly rows: readonly Reduced[];
  /** By target position, then row. With one target the same as `rows`. */
  readonly byTarget: readonly (readonly Reduced[])[];
  /** 1 where trials disagree, or where a failure was not confirmed. */
  readonly flaky: Uint8Array;
  /** Indexes of rows that failed first and passed when they were tried again. */
  readonly cleared: readonly number[];
}

// Most rows end in one of few ways; sharing them keeps a million rows from being a million objects.
const PASSED: Reduced = { status: 'scored', passed: true, score: 1 };
const FAILED: Reduced = { status: 'scored', passed: false, score: 0 };

export function reduceRows(fold: ResultFold): ReducedRows {
  const { rows: count, targets, trials, trialPolicy } = fold.manifest;
  const confirmed = confirmTrials(fold);
  const byTarget: Reduced[][] = targets.map(() => new Array<Reduced>(count).fill(PASSED));
  const rows = targets.length === 1 ? (byTarget[0] ?? []) : new Array<Reduced>(count).fill(PASSED);
  const flaky = new Uint8Array(count);
  const cleared = new Set<number>();

  for (let row = 0; row < count; row += 1) {
    for (let target = 0; target < targets.length; target += 1) {
      const first = (row * targets.length + target) * trials;
      const main: Reduced[] = [];
      for (let trial = 0; trial < trials; trial += 1) main.push(shared(fold.trial(first + trial)));
      let reduced = reduceTrials(main, trialPolicy);
      if (trials > 1 && disagree(main)) flaky[row] = 1;
      const again = confirmed.get(row * targets.length + target);
      if (again !== undefined && isCleared(reduced, again, fold.manifest.confirmTrials)) {
        reduced = clear(main, again);
        flaky[row] = 1;
        cleared.add(row);
      }
      (byTarget[target] as Reduced[])[row] = reduced;
    }
    if (targets.length !== 1) rows[row] = reduceTargets(byTarget.map((of) => of[row] as Reduced));
  }
  return { rows, byTarget, flaky, cleared: [...cleared].filter((row) => rows[row]?.passed === true) };
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

function confirmTrials(fold: ResultFold): Map<number, Reduced[]> {
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

function shared(reduced: Reduced): Reduced {
  if (reduced.status !== 'scored') return reduced;
  if (reduced.passed && reduced.score === 1) return PASSED;
  return !reduced.passed && reduced.score === 0 ? FAILED : reduced;
}
