import { NoTurnError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { startDeadline } from '../call-deadline.ts';
import { Pacers, type Turns } from '../pacing/pacers.ts';
import type { NoTurn } from '../pacing/turn-queue.ts';
import { retryAfterOf } from './service-errors.ts';
import { type CallFailure, classifyTargetError } from './target-errors.ts';

export type TargetCall<T> = {
  /** Of the last attempt, request sent to full reply; the limit for a timeout; null when none ended. */
  readonly latencyMs: number | null;
  /** Requests sent. */
  readonly attempts: number;
  /** Of these, how many were throttled. */
  readonly throttled: number;
} & ({ readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: CallFailure });

export interface TargetCallsOptions {
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** Of one attempt. */
  readonly timeoutMs: number;
  /** Further attempts; 0 = none, of whatever kind. */
  readonly retries: number;
  /** What is asked: all that ask it keep one pace when it throttles. */
  readonly paceKey: string;
  /** Who else keeps that pace. @default nobody */
  readonly pacers?: Pacers;
  /** Says more about a failure, such as what to check. */
  readonly explain?: (message: string) => string;
}

/** A service that is starting up is tried again this often whatever `retries` says, unless it is 0. */
const STARTING_ATTEMPTS = 8;
const BASE_MS = { throttled: 1000, transient: 500, once: 500, never: 0 } as const;
const CAP_MS = 20_000;

/**
 * The calls of one target to an AWS service: time limit, backoff with full jitter for what fails, and while the service
 * throttles each waits for its turn as long as it takes: a run slows down, it does not fail.
 */
export class TargetCalls {
  readonly #options: TargetCallsOptions;
  readonly #turns: Turns;

  constructor(options: TargetCallsOptions) {
    this.#options = options;
    this.#turns = (options.pacers ?? new Pacers(options)).turnsOf({
      by: 'targets',
      key: options.paceKey,
      timeoutS: options.timeoutMs / 1000,
      attempts: options.retries + 1,
    });
  }

  /**
   * `send` makes one request and reads all of its reply; it is given up when its signal aborts. What it throws is a
   * failure. Throws NoTurnError when the run ends while the call waits.
   */
  async run<T>(send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<TargetCall<T>> {
    const { clock, random, retries } = this.#options;
    const tally = { attempts: 0, throttled: 0 };
    let last: FailedAttempt | null = null;
    for (let faults = 0; ; ) {
      const turn = await this.#turns.take(signal);
      if (typeof turn === 'string') return { ...withoutTurn(turn, last, signal), ...tally };
      const attempt = await this.#attempt(send, signal);
      if (attempt === 'not sent') {
        this.#turns.failed(turn);
        return { ...STOPPED, ...tally };
      }
      tally.attempts += 1;
      if (attempt.ok) {
        this.#turns.answered(turn);
        return { ...attempt, ...tally };
      }
      last = attempt;
      const { retry, cause } = attempt.failure;
      if (cause === 'throttled') {
        tally.throttled += 1;
        await this.#turns.throttled(turn, attempt.holdMs ?? null);
        if (retries === 0) return { ...attempt, ...tally };
        continue;
      }
      if (cause === 'timeout' || cause === 'connection') this.#turns.failed(turn);
      else this.#turns.answered(turn);
      faults += 1;
      if (signal.aborted || faults >= this.#attemptsFor(retry)) return { ...attempt, ...tally };
      const bound = Math.min(CAP_MS, BASE_MS[retry] * 2 ** (faults - 1));
      const slept = await clock.sleep(random() * bound, signal).then(
        () => true,
        () => false,
      );
      if (!slept) return { ...attempt, ...tally };
    }
  }

  async #attempt<T>(send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<Attempt<T>> {
    if (signal.aborted) return 'not sent';
    const { clock, timeoutMs, explain } = this.#options;
    const deadline = startDeadline(signal, timeoutMs);
    const startedMs = clock.monotonicMs();
    try {
      const value = await send(deadline.signal);
      return { ok: true, value, latencyMs: Math.max(0, clock.monotonicMs() - startedMs) };
    } catch (error) {
      if (deadline.timedOut()) {
        const message = `no full answer within ${timeoutMs / 1000} s`;
        return { ok: false, failure: { cause: 'timeout', message, retry: 'never' }, latencyMs: timeoutMs };
      }
      if (signal.aborted) return STOPPED;
      const failure = classifyTargetError(error);
      const message = explain === undefined ? failure.message : explain(failure.message);
      const holdMs = retryAfterOf(error, clock.now());
      return { ok: false, failure: { ...failure, message }, latencyMs: null, holdMs };
    } finally {
      deadline.clear();
    }
  }

  #attemptsFor(retry: CallFailure['retry']): number {
    const { retries } = this.#options;
    if (retries === 0 || retry === 'never') return 1;
    if (retry === 'once') return 2;
    return retry === 'throttled' ? Math.max(STARTING_ATTEMPTS, retries + 1) : retries + 1;
  }
}

interface FailedAttempt {
  readonly ok: false;
  readonly failure: CallFailure;
  readonly latencyMs: number | null;
  /** What the service asked to wait. */
  readonly holdMs?: number | null;
}

type Attempt<T> = 'not sent' | { readonly ok: true; readonly value: T; readonly latencyMs: number } | FailedAttempt;

function withoutTurn(why: NoTurn, last: FailedAttempt | null, { aborted }: AbortSignal): FailedAttempt {
  if (aborted) return STOPPED;
  if (why === 'waiting is over') throw new NoTurnError('the target throttled the run until it was over');
  const message = 'the target throttles and answers nobody';
  return last ?? { ok: false, failure: { cause: 'throttled', message, retry: 'throttled' }, latencyMs: null };
}

const STOPPED = {
  ok: false,
  latencyMs: null,
  failure: { cause: 'connection', message: 'the run was stopped before the answer came', retry: 'never' },
} as const;
