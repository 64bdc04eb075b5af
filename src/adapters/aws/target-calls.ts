import type { Clock } from '../../ports/clock.ts';
import { AdaptiveLimit } from '../adaptive-limit.ts';
import { startDeadline } from '../call-deadline.ts';
import { type CallFailure, classifyTargetError } from './target-errors.ts';

export type TargetCall<T> = {
  /** Of the last attempt, request sent to full reply; the limit for a timeout; null when none ended. */
  readonly latencyMs: number | null;
  /** Requests sent. */
  readonly attempts: number;
} & ({ readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: CallFailure });

export interface TargetCallsOptions {
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** Of one attempt. */
  readonly timeoutMs: number;
  /** Further attempts; 0 = none, of whatever kind. */
  readonly retries: number;
  /** Says more about a failure, such as what to check. */
  readonly explain?: (message: string) => string;
}

/** Throttling is tried again this often whatever `retries` says, unless it is 0: a run slows down, it does not fail. */
const THROTTLED_ATTEMPTS = 8;
const BASE_MS = { throttled: 1000, transient: 500, once: 500, never: 0 } as const;
const CAP_MS = 20_000;

/** The calls of one target to an AWS service: time limit, backoff with full jitter, fewer at once while the service throttles. */
export class TargetCalls {
  readonly #options: TargetCallsOptions;
  readonly #limit = new AdaptiveLimit();

  constructor(options: TargetCallsOptions) {
    this.#options = options;
  }

  /** `send` makes one request and reads all of its reply; it is given up when its signal aborts. What it throws is a failure. */
  async run<T>(send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<TargetCall<T>> {
    const { clock, random } = this.#options;
    for (let attempts = 1; ; attempts += 1) {
      const attempt = await this.#limit.run((wave) => this.#attempt(send, signal, wave));
      if (attempt === 'not sent') return { ...STOPPED, attempts: attempts - 1 };
      if (attempt.ok) return { ...attempt, attempts };
      const { retry } = attempt.failure;
      if (signal.aborted || attempts >= this.#attemptsFor(retry)) return { ...attempt, attempts };
      const bound = Math.min(CAP_MS, BASE_MS[retry] * 2 ** (attempts - 1));
      const slept = await clock.sleep(random() * bound, signal).then(
        () => true,
        () => false,
      );
      if (!slept) return { ...attempt, attempts };
    }
  }

  async #attempt<T>(send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal, wave: number): Promise<Attempt<T>> {
    if (signal.aborted) return 'not sent';
    const { clock, timeoutMs, explain } = this.#options;
    const deadline = startDeadline(signal, timeoutMs);
    const startedMs = clock.monotonicMs();
    try {
      const value = await send(deadline.signal);
      this.#limit.succeeded();
      return { ok: true, value, latencyMs: Math.max(0, clock.monotonicMs() - startedMs) };
    } catch (error) {
      if (deadline.timedOut()) {
        const message = `no full answer within ${timeoutMs / 1000} s`;
        return { ok: false, failure: { cause: 'timeout', message, retry: 'never' }, latencyMs: timeoutMs };
      }
      if (signal.aborted) return STOPPED;
      const failure = classifyTargetError(error);
      if (failure.cause === 'throttled') this.#limit.throttled(wave);
      const message = explain === undefined ? failure.message : explain(failure.message);
      return { ok: false, failure: { ...failure, message }, latencyMs: null };
    } finally {
      deadline.clear();
    }
  }

  #attemptsFor(retry: CallFailure['retry']): number {
    const { retries } = this.#options;
    if (retries === 0 || retry === 'never') return 1;
    if (retry === 'once') return 2;
    return retry === 'throttled' ? Math.max(THROTTLED_ATTEMPTS, retries + 1) : retries + 1;
  }
}

type Attempt<T> =
  | 'not sent'
  | { readonly ok: true; readonly value: T; readonly latencyMs: number }
  | { readonly ok: false; readonly failure: CallFailure; readonly latencyMs: number | null };

const STOPPED = {
  ok: false,
  latencyMs: null,
  failure: { cause: 'connection', message: 'the run was stopped before the answer came', retry: 'never' },
} as const;
