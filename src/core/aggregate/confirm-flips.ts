import { plural } from '../plural.ts';
import type { Confirmation } from '../schemas/summary.ts';
import type { ResultFold } from './fold.ts';
import { reduceTrials } from './reduce.ts';
import { isFailure, mainTrials, type ReducedRows, sortedConfirm } from './rows.ts';

/** A row that flipped, and the positions of the targets at which it failed: those are asked again. */
export interface RowToConfirm {
  readonly index: number;
  readonly targets: readonly number[];
}

export interface Flips {
  /** Rows that passed in the baseline and failed now, before anything was tried again. */
  readonly indexes: readonly number[];
  /** Rows that passed in the baseline and have a verdict now, the flipped ones among them. */
  readonly passedBefore: number;
}

/** Few flips are always tried again, whatever share of the rows they are. */
const ALWAYS_ROWS = 10;
/** More flips than this share of the rows that passed before are no noise. */
const NOISE_SHARE = 0.2;
/** Further (row, target, trial) that a run may cost, at most. */
const MOST_TRIALS = 3_000;

/** What is still to be tried again, and why nothing is, where flips are left as they are. */
export function planConfirmation(
  fold: ResultFold,
  flips: Flips,
): { readonly rows: readonly RowToConfirm[]; readonly refused: string | null } {
  const { confirmTrials } = fold.manifest;
  if (confirmTrials === 0 || flips.indexes.length === 0) return { rows: [], refused: null };
  const failed = flips.indexes.map((index) => ({ index, targets: failedTargets(fold, index) }));
  const refused = refusal(flips, failed, confirmTrials);
  if (refused !== null) return { rows: [], refused };
  const tried = evaluatedTrials(fold);
  const rows = failed.map(({ index, targets }) => {
    const open = (target: number) => (tried.get(pairOf(fold, index, target)) ?? 0) < confirmTrials;
    return { index, targets: targets.filter(open) };
  });
  return { rows: rows.filter(({ targets }) => targets.length > 0), refused: null };
}

/** What came of the flips. Rows in file order. */
export function summarizeConfirmation(fold: ResultFold, { rows }: ReducedRows, flips: Flips): Confirmation {
  const { confirmTrials } = fold.manifest;
  const lists: Pick<Confirmation, 'regressed' | 'flaky' | 'not_confirmed'> = {
    regressed: [],
    flaky: [],
    not_confirmed: [],
  };
  const failures = countFailures(fold);
  for (const index of flips.indexes) {
    const rowId = fold.rowIds[index] ?? '?';
    if (rows.passedAt(index)) lists.flaky.push(rowId);
    else if (failedTargets(fold, index).some((target) => isConfirmed(failures.get(pairOf(fold, index, target)) ?? 0)))
      lists.regressed.push(rowId);
    else lists.not_confirmed.push(rowId);
  }
  const flipped = flips.indexes.length;
  const why = lists.not_confirmed.length === 0 ? null : (planConfirmation(fold, flips).refused ?? whyOpen(fold));
  return { trials: confirmTrials, flipped, ...lists, why, results: sum([...evaluatedTrials(fold).values()]) };

  /** So many trials failed that even with every open one passed, most would not have. */
  function isConfirmed(failed: number): boolean {
    return (confirmTrials - failed) * 2 <= confirmTrials;
  }
}

/** Further trials that failed, by (row, target). */
function countFailures(fold: ResultFold): ReadonlyMap<number, number> {
  const failures = new Map<number, number>();
  for (const { result, target } of sortedConfirm(fold)) {
    if (!isFailure(result)) continue;
    const pair = pairOf(fold, result.index, target);
    failures.set(pair, (failures.get(pair) ?? 0) + 1);
  }
  return failures;
}

/** Trials that ran, judged or not, by (row, target). */
function evaluatedTrials(fold: ResultFold): ReadonlyMap<number, number> {
  const trials = new Map<number, number>();
  for (const { result, target } of sortedConfirm(fold)) {
    if (result.status === 'skipped') continue;
    const pair = pairOf(fold, result.index, target);
    trials.set(pair, (trials.get(pair) ?? 0) + 1);
  }
  return trials;
}

function refusal(flips: Flips, failed: readonly RowToConfirm[], confirmTrials: number): string | null {
  const flipped = flips.indexes.length;
  if (flipped > Math.max(ALWAYS_ROWS, flips.passedBefore * NOISE_SHARE)) {
    return `${flipped} of ${plural(flips.passedBefore, 'row')} that passed in the baseline flipped, which is no noise: none was tried again`;
  }
  const trials = sum(failed.map(({ targets }) => targets.length)) * confirmTrials;
  if (trials <= MOST_TRIALS) return null;
  return `${plural(flipped, 'row')} flipped, and trying them again takes ${trials} further trials where ${MOST_TRIALS} are allowed: none was tried again`;
}

/** Why flips that were to be tried again have no answer: the causes found, most frequent words of a run first. */
function whyOpen(fold: ResultFold): string {
  const causes = new Set<string>();
  for (const { result } of sortedConfirm(fold)) {
    if (result.status === 'skipped') causes.add(result.cause ?? 'skipped');
    if (result.status === 'judge_error') causes.add(`judge error: ${result.cause ?? 'unknown'}`);
  }
  return causes.size === 0 ? 'they were not tried again' : [...causes].sort().join(', ');
}

function failedTargets(fold: ResultFold, index: number): number[] {
  const { targets, trialPolicy } = fold.manifest;
  return targets.flatMap((_, target) =>
    isFailure(reduceTrials(mainTrials(fold, index, target), trialPolicy)) ? [target] : [],
  );
}

const pairOf = (fold: ResultFold, index: number, target: number): number =>
  index * fold.manifest.targets.length + target;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
