import type { JudgeErrorCause } from '../core/schemas/result.ts';
import type { Clock } from '../ports/clock.ts';
import type { Turns } from './pacing/pacers.ts';

/** How a failed attempt is to be taken. */
export interface AttemptFailure {
  readonly cause: JudgeErrorCause;
  readonly message: string;
  /**
   * `throttled`: wait long and lower the load; `transient`: wait shortly; `once`: a costly failure, one more try;
   * `never`: trying again cannot help.
   */
  readonly retry: 'throttled' | 'transient' | 'once' | 'never';
  /** What the server asked for, if it did. */
  readonly retryAfterMs?: number;
  /** The server refused the request's form: another form of the same question may do. */
  readonly refusedForm?: boolean;
}

export type AttemptOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: AttemptFailure };

export interface Attempts<T> {
  readonly outcome: AttemptOutcome<T>;
  /** Requests sent; 0 when the judge throttled others until nobody waited any more. */
  readonly attempts: number;
  /** Of these, how many were throttled. */
  readonly throttled: number;
}

const MAX_ATTEMPTS = { throttled: 8, transient: 3, once: 2, never: 1 } as const;
const BASE_MS = { throttled: 1000, transient: 200, once: 200, never: 0 } as const;
const CAP_MS = 20_000;
const MAX_RETRY_AFTER_MS = 60_000;

export interface BackoffDeps {
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** A throttled request waits for its turn again, as often as it takes; that is none of the attempts below. */
  readonly turns: Turns;
}

/** Tries until it works, the failure says that trying again cannot help, or the attempts of its kind are used up. */
export async function withBackoff<T>(
  attempt: () => Promise<AttemptOutcome<T>>,
  signal: AbortSignal,
  { clock, random, turns }: BackoffDeps,
): Promise<Attempts<T>> {
  let outcome: AttemptOutcome<T> = NO_TURN;
  const tally = { attempts: 0, throttled: 0 };
  for (let tried = 0; ; ) {
    const turn = await turns.take(signal);
    if (typeof turn === 'string') return { outcome, ...tally };
    outcome = await attempt();
    tally.attempts += 1;
    if (!outcome.ok && isThrottle(outcome.failure)) {
      tally.throttled += 1;
      await turns.throttled(turn, outcome.failure.retryAfterMs ?? null);
      continue;
    }
    if (outcome.ok || ANSWERED.has(outcome.failure.cause)) turns.answered(turn);
    else turns.failed(turn);
    tried += 1;
    if (outcome.ok || signal.aborted || tried >= MAX_ATTEMPTS[outcome.failure.retry]) return { outcome, ...tally };
    try {
      await clock.sleep(waitMs(outcome.failure, tried, random), signal);
    } catch (error) {
      if (signal.aborted) return { outcome, ...tally };
      throw error;
    }
  }
}

const NO_TURN = {
  ok: false,
  failure: { cause: 'throttled', message: 'the judge throttles and answers nobody', retry: 'never' },
} as const;

/** Causes under which the judge let the request in. */
const ANSWERED: ReadonlySet<JudgeErrorCause> = new Set(['bad-request', 'access-denied']);

/** An account without credit is throttled for good: `never`. */
const isThrottle = ({ cause, retry }: AttemptFailure): boolean => cause === 'throttled' && retry === 'throttled';

/** Full jitter: anywhere below a bound that doubles, so that callers throttled together do not come back together. */
function waitMs({ retry, retryAfterMs }: AttemptFailure, attempts: number, random: () => number): number {
  const jitter = random() * Math.min(CAP_MS, BASE_MS[retry] * 2 ** (attempts - 1));
  if (retryAfterMs === undefined) return jitter;
  return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) + jitter / 10;
}
