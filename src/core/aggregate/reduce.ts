import type { ResultStatus } from '../schemas/result.ts';
import type { Policy } from '../schemas/thresholds.ts';

/** One trial's result, a target's over its trials, or a row's over its targets. */
export interface Reduced {
  readonly status: ResultStatus;
  readonly passed: boolean;
  /** 0..1 when scored, 0 for target_error, null otherwise. */
  readonly score: number | null;
}

const TARGET_FAILED: Reduced = { status: 'target_error', passed: false, score: 0 };
const NOT_JUDGED: Reduced = { status: 'judge_error', passed: false, score: null };
const NOT_RUN: Reduced = { status: 'skipped', passed: false, score: null };

/** Trials of one row at one target → one result (SCORING §1). `trials` has one entry a manifest trial. */
export function reduceTrials(trials: readonly Reduced[], policy: Policy['trial_policy']): Reduced {
  const [only, ...others] = trials;
  if (only === undefined) return NOT_RUN;
  if (others.length === 0) return only;
  return policy === 'all' ? worstOf(trials, meanScore) : byVote(trials, policy);
}

/** A row at several targets → one result: it passes only where all pass, and the lowest score stands. */
export function reduceTargets(targets: readonly Reduced[]): Reduced {
  const [only, ...others] = targets;
  if (only === undefined) return NOT_RUN;
  return others.length === 0 ? only : worstOf(targets, minimumScore);
}

/** Trials that were evaluated and do not agree; errors of the judge and skips have no opinion. */
export function disagree(trials: readonly Reduced[]): boolean {
  const evaluated = trials.filter(({ status }) => status === 'scored' || status === 'target_error');
  return evaluated.some(({ passed }) => passed) && evaluated.some(({ passed }) => !passed);
}

function worstOf(parts: readonly Reduced[], scoreOf: (parts: readonly Reduced[]) => number): Reduced {
  if (parts.some(({ status }) => status === 'target_error')) return TARGET_FAILED;
  const scored = parts.filter(({ status }) => status === 'scored');
  if (scored.some(({ passed }) => !passed)) return { status: 'scored', passed: false, score: scoreOf(scored) };
  if (parts.some(({ status }) => status === 'judge_error')) return NOT_JUDGED;
  if (scored.length < parts.length) return NOT_RUN;
  return { status: 'scored', passed: true, score: scoreOf(scored) };
}

/** Majority or any: an errored trial has not passed, a trial that never ran may still decide. */
function byVote(trials: readonly Reduced[], policy: 'majority' | 'any'): Reduced {
  const needed = policy === 'any' ? 1 : Math.floor(trials.length / 2) + 1;
  const passes = trials.filter(({ passed }) => passed).length;
  const skips = trials.filter(({ status }) => status === 'skipped').length;
  const counted = trials.filter(({ status }) => status === 'scored' || status === 'target_error');
  if (passes >= needed) return { status: 'scored', passed: true, score: meanScore(counted) };
  if (passes + skips >= needed) return NOT_RUN;
  if (counted.some(({ status }) => status === 'scored')) {
    return { status: 'scored', passed: false, score: meanScore(counted) };
  }
  return counted.length > 0 ? TARGET_FAILED : NOT_JUDGED;
}

function meanScore(parts: readonly Reduced[]): number {
  return parts.reduce((sum, { score }) => sum + (score ?? 0), 0) / parts.length;
}

function minimumScore(parts: readonly Reduced[]): number {
  return parts.reduce((lowest, { score }) => Math.min(lowest, score ?? 0), 1);
}
