import type * as z from 'zod';
import type { ReasonSchema } from '../schemas/summary.ts';
import { meets, within } from '../scoring/meets.ts';
import { SHARE_DIGITS, showAgainst } from './show-against.ts';

export type Reason = z.infer<typeof ReasonSchema>;

/** The run could not be decided; nothing else matters then. */
export function cannotDecide(
  rule: string,
  text: string,
  actual: number | null = null,
  limit: number | null = null,
): Reason {
  return { rule, outcome: 'error', text, actual: finite(actual), limit };
}

export interface Bound {
  readonly rule: string;
  /** What is measured, as a sentence starts: `score`, `p95 latency`. */
  readonly what: string;
  /** Null: there was nothing to measure. */
  readonly actual: number | null;
  readonly limit: number;
  readonly kind: 'minimum' | 'maximum';
  readonly unit?: string;
  readonly digits?: number;
}

/** A value against its limit. Equal passes; no value, or one that is no number, never does. */
export function bound({ rule, what, actual, limit, kind, unit = '', digits = SHARE_DIGITS }: Bound): Reason {
  if (actual === null)
    return cannotDecide(rule, `${what}: no values to judge, the limit is ${limit}${unit}`, null, limit);
  if (!Number.isFinite(actual)) return cannotDecide(rule, `${what} is not a finite number`, null, limit);
  const holds = kind === 'minimum' ? meets(actual, limit) : within(actual, limit);
  const shown = showAgainst(actual, limit, kind, digits);
  const relation = kind === 'minimum' ? (holds ? 'reaches' : 'is below') : holds ? 'is within' : 'is above';
  const text = `${what} ${shown.value}${unit} ${relation} ${shown.limit}${unit}`;
  return { rule, outcome: holds ? 'pass' : 'fail', text, actual, limit };
}

/** The same for a value known only to lie in an interval: pass or fail when all of it does, else inconclusive. */
export function boundOfInterval(
  given: Omit<Bound, 'kind'> & { readonly interval: readonly [number, number] | null },
): Reason {
  const { rule, what, actual, limit, interval } = given;
  if (actual === null || !Number.isFinite(actual)) return bound({ ...given, kind: 'minimum' });
  if (interval === null) {
    return { rule, outcome: 'inconclusive', text: `${what}: too few rows for an interval`, actual, limit };
  }
  const [lower, upper] = interval;
  if (!Number.isFinite(lower) || !Number.isFinite(upper)) {
    return cannotDecide(rule, `${what}: the interval is not finite`, actual, limit);
  }
  const outcome = meets(lower, limit) ? 'pass' : meets(upper, limit) ? 'inconclusive' : 'fail';
  const low = showAgainst(lower, limit);
  const high = showAgainst(upper, limit);
  const verdict = {
    pass: `all of it reaches ${low.limit}`,
    inconclusive: `with ${low.limit} in between: these rows cannot tell`,
    fail: `all of it is below ${low.limit}`,
  }[outcome];
  const text = `${what} lies within ${low.value} to ${high.value} (95 %), ${verdict}`;
  return { rule, outcome, text, actual, limit };
}

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}
