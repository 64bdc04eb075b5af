import { plural } from '../plural.ts';
import type { Confirmation } from '../schemas/summary.ts';
import { confirmRule, isTooLikely, trialsNeeded, verdictOf } from './confirm-rule.ts';
import { type FurtherTrials, furtherTrials } from './confirm-trials.ts';
import type { ResultFold } from './fold.ts';
import { reduceTrials } from './reduce.ts';
import { isFailure, mainTrials, type ReducedRows } from './rows.ts';

/** A row that flipped, and the positions of the targets at which it failed: those are asked again. */
export interface RowToConfirm {
  readonly index: number;
  readonly targets: readonly number[];
  /** Failures that decide that it is to blame: no trial is asked after them. */
  readonly blameAt: number;
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
  const rule = confirmRule(confirmTrials, countTargets(failed));
  const tried = furtherTrials(fold);
  const isOpen = (index: number, target: number) => {
    const trials = tried.get(index, target);
    return trials.evaluated < confirmTrials && verdictOf(trials, rule) === null;
  };
  const rows = failed.map(({ index, targets }) => ({
    index,
    targets: targets.filter((target) => isOpen(index, target)),
    blameAt: rule.blameAt,
  }));
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
  const failed = flips.indexes.map((index) => ({ index, targets: failedTargets(fold, index) }));
  const tried = furtherTrials(fold);
  const rule = tried.pairs === 0 ? confirmRule(confirmTrials, countTargets(failed)) : tried.rule;
  for (const { index, targets } of failed) {
    const rowId = fold.rowIds[index] ?? '?';
    const isBlamed = (target: number) => verdictOf(tried.get(index, target), rule) === 'regressed';
    if (rows.passedAt(index)) lists.flaky.push(rowId);
    else if (targets.some(isBlamed)) lists.regressed.push(rowId);
    else lists.not_confirmed.push(rowId);
  }
  const flipped = flips.indexes.length;
  const why = lists.not_confirmed.length === 0 ? null : (planConfirmation(fold, flips).refused ?? whyOpen(tried));
  return {
    trials: confirmTrials,
    blame_at: rule.blameAt,
    chance: rule.chance,
    ...(isTooLikely(rule.chance) ? { trials_needed: trialsNeeded(tried.pairs || countTargets(failed)) } : {}),
    flipped,
    ...lists,
    why,
    results: tried.evaluated,
  };
}

/** Few enough rows flipped to be noise; more are taken for what they seem. */
export function mayBeNoise(flipped: number, passedBefore: number): boolean {
  return flipped <= Math.max(ALWAYS_ROWS, passedBefore * NOISE_SHARE);
}

type FailedRow = Pick<RowToConfirm, 'index' | 'targets'>;

function refusal(flips: Flips, failed: readonly FailedRow[], confirmTrials: number): string | null {
  const flipped = flips.indexes.length;
  if (!mayBeNoise(flipped, flips.passedBefore)) {
    return `${flipped} of ${plural(flips.passedBefore, 'row')} that passed in the baseline flipped, which is no noise: none was tried again`;
  }
  const trials = countTargets(failed) * confirmTrials;
  if (trials <= MOST_TRIALS) return null;
  return `${plural(flipped, 'row')} flipped, and trying them again takes ${trials} further trials where ${MOST_TRIALS} are allowed: none was tried again`;
}

/** Why flips that were to be tried again have no answer: the causes found, most frequent words of a run first. */
function whyOpen({ results }: FurtherTrials): string {
  const causes = new Set<string>();
  for (const result of results) {
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

const countTargets = (rows: readonly FailedRow[]): number =>
  rows.reduce((total, { targets }) => total + targets.length, 0);
