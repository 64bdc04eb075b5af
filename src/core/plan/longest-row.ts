import type { EvalConfig } from '../schemas/eval.ts';

/** Longest that one row of one target may take in a deployed run: a Lambda lives 900 s and must write its part. */
export const MAX_DEPLOYED_ROW_MS = 600_000;

/**
 * How long one task of a row can take, in ms: every attempt at the target and both judge calls at their limits. Time in
 * which it waits for its turn while the other side throttles is not part of it: that ends when no row may start any more.
 */
export function longestRowMs({ targets, judges }: Pick<EvalConfig, 'targets' | 'judges'>): number {
  const ofJudges = judges.map((judge) => ('timeout_s' in judge ? judge.timeout_s * 2 : 0));
  return longestTargetMs({ targets }) + Math.max(0, ...ofJudges) * 1000;
}

/** The target's share of it: all attempts at their limits. */
export function longestTargetMs({ targets }: Pick<EvalConfig, 'targets'>): number {
  const seconds = targets.map((target) => ('timeout_s' in target ? target.timeout_s * (target.retries + 1) : 0));
  return Math.max(0, ...seconds) * 1000;
}
