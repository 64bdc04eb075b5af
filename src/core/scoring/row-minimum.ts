import type { RowChecks } from '../schemas/row.ts';
import type { Score } from '../schemas/score.ts';
import { meets } from './meets.ts';
import { goodness } from './row-outcome.ts';

/** The minimum that holds for a row: its own `min_*`, or else the eval's. Null: none. */
export function minimumOf(name: string, checks: RowChecks, ofEval: number | null): number | null {
  const own = Object.hasOwn(checks, name) ? checks[name] : undefined;
  return typeof own === 'number' ? own : ofEval;
}

/**
 * Whether a score is short of its minimum. One that does not apply, or that nobody verified, never reaches a minimum; a
 * judge's failure is no shortfall, since the row is a judge error then.
 */
export function isShort(score: Score | undefined, minimum: number | null): boolean {
  if (minimum === null) return false;
  if (score === undefined) return true;
  if (score.status === 'scored') return score.raw_label === UNVERIFIED || !meets(goodness(score), minimum);
  return score.cause === 'not-applicable';
}

/** Raw label of a score that stands for "nobody looked". */
export const UNVERIFIED = 'unverified';
