import type { JudgeErrorCause } from '../core/schemas/result.ts';
import type { Clock } from '../ports/clock.ts';

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
  /** Requests sent, at least 1. */
  readonly attempts: number;
}

const MAX_ATTEMPTS = { throttled: 8, transient: 3, once: 2, never: 1 } as const;
const BASE_MS = { throttled: 1000, transient: 200, once: 200, never: 0 } as const;
const CAP_MS = 20_000;
const MAX_RETRY_AFTER_MS = 60_000;

export interface BackoffDeps {
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
}

/** Tries until it works, the failure says that trying again cannot help, or the attempts of its kind are used up. */
export async function withBackoff<T>(
  attempt: () => Promise<AttemptOutcome<T>>,
  signal: AbortSignal,
  { clock, random }: BackoffDeps,
): Promise<Attempts<T>> {
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attempt();
    if (outcome.ok || signal.aborted || attempts >= MAX_ATTEMPTS[outcome.failure.retry]) return { outcome, attempts };
    try {
      await clock.sleep(waitMs(outcome.failure, attempts, random), signal);
    } catch (error) {
      if (signal.aborted) return { outcome, attempts };
      throw error;
    }
  }
}

/** Full jitter: anywhere below a bound that doubles, so that callers throttled together do not come back together. */
function waitMs({ retry, retryAfterMs }: AttemptFailure, attempts: number, random: () => number): number {
  const jitter = random() * Math.min(CAP_MS, BASE_MS[retry] * 2 ** (attempts - 1));
  if (retryAfterMs === undefined) return jitter;
  return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) + jitter / 10;
}
