import { binomialTail } from '../statistics/binomial.ts';

/** A row that usually passes is taken to fail this often all the same, at most. A noisier one is flaky, and may be blamed. */
export const NOISE = 0.1;
/** Runs in which chance alone may blame a row, at most, where no row is noisier than that. */
export const FALSE_ALARMS = 0.05;

/** By how many failures of its further trials a flipped row is blamed. */
export interface ConfirmRule {
  /** Further trials of a row at a target, at most. */
  readonly trials: number;
  /** So many failures blame it; as soon as they are out of reach it is cleared. */
  readonly blameAt: number;
  /** Chance that noise alone blames any of the flipped rows, at most; above `FALSE_ALARMS` the trials are too few. */
  readonly chance: number;
}

/**
 * The fewest failures of `trials`, and never less than half of them, that noise reaches in fewer than 5 of 100 runs
 * at any of `pairs` flipped (row, target). Where even failing all trials is too little evidence, all must fail.
 */
export function confirmRule(trials: number, pairs: number): ConfirmRule {
  const chanceOf = (failures: number) => Math.min(1, pairs * binomialTail(failures, trials, NOISE));
  let blameAt = Math.max(1, Math.ceil(trials / 2));
  while (blameAt < trials && isTooLikely(chanceOf(blameAt))) blameAt += 1;
  return { trials, blameAt, chance: chanceOf(blameAt) };
}

/** Chance alone blames a row too often. The last bits of a sum of logarithms do not decide. */
export const isTooLikely = (chance: number): boolean => chance > FALSE_ALARMS + 1e-9;

/** The fewest further trials that can tell so many flips from noise. */
export function trialsNeeded(pairs: number): number {
  let trials = 1;
  while (isTooLikely(confirmRule(trials, pairs).chance)) trials += 1;
  return trials;
}

/** Further trials of one row at one target that have a verdict. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** What the trials so far say; null while more of them, or others in place of those without a verdict, could say either. */
export function verdictOf({ passed, failed }: Tally, { trials, blameAt }: Pick<ConfirmRule, 'trials' | 'blameAt'>) {
  if (failed >= blameAt) return 'regressed' as const;
  return passed > trials - blameAt ? ('flaky' as const) : null;
}
