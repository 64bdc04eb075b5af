import { ConfigError, NoTurnError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import { parseRetryAfter } from '../../core/pace/retry-after.ts';
import type { Redactor } from '../../core/redact.ts';
import { createRedactor } from '../../core/redact.ts';
import type { Answer, Cost, Usage } from '../../core/schemas/answer.ts';
import type { TargetErrorCause } from '../../core/schemas/result.ts';
import type { HttpTargetConfig } from '../../core/schemas/target-config.ts';
import type { AnswerPaths, PriceUsage } from '../../core/template/read-answer.ts';
import { compileAnswerPaths } from '../../core/template/read-answer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Target, TargetReply, TargetRequest } from '../../ports/target.ts';
import { Pacers, paceKey, type Turns } from '../pacing/pacers.ts';
import type { NoTurn } from '../pacing/turn-queue.ts';
import type { ConnectionFault } from './connection-fault.ts';
import { classifyFault } from './connection-fault.ts';
import type { BoundRequest, HttpRequest } from './http-request.ts';
import { compileHttpRequest } from './http-request.ts';
import type { OutboundDispatcher } from './outbound-guard.ts';
import { parseReply } from './parse-reply.ts';
import { isRetryableStatus, retryDelayMs } from './retry-policy.ts';
import type { HttpReply } from './send-request.ts';
import { hostOf, sendRequest } from './send-request.ts';
import { OutboundBlockedError } from './url-rules.ts';

export interface HttpTargetDeps {
  /** Shared by the run's targets; whoever made it closes it. */
  readonly outbound: OutboundDispatcher;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Values of all the secrets the configuration names; they never leave this object. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Prices what `usage_path` reports. Absent: its cost is unknown. */
  readonly priceUsage?: PriceUsage;
  /** Path of the target in the configuration, for faults. @default targets.<id> */
  readonly where?: string;
  /** Who else keeps the pace of a host that throttles. @default nobody */
  readonly pacers?: Pacers;
}

interface Attempt {
  readonly latencyMs: number | null;
  readonly reply?: HttpReply;
  readonly fault?: ConnectionFault;
}

/** Requests sent, and how many of them were throttled. */
interface Tally {
  readonly attempts: number;
  readonly throttled: number;
}

/** A system behind a URL: one request a row, templates filled in, the answer taken out by path. */
export class HttpTarget implements Target {
  readonly id: string;
  readonly type = 'http';
  readonly model = null;
  readonly #config: HttpTargetConfig;
  readonly #deps: HttpTargetDeps;
  readonly #where: string;
  readonly #request: BoundRequest;
  readonly #paths: AnswerPaths;
  readonly #redactor: Redactor;
  readonly #turns: Turns;

  /** Throws ConfigError for templates or paths that are none and for secrets that are missing. */
  constructor(config: HttpTargetConfig & { id: string }, deps: HttpTargetDeps) {
    this.id = config.id;
    this.#config = config;
    this.#deps = deps;
    this.#where = deps.where ?? `targets.${config.id}`;
    const template = compileHttpRequest(config, { where: this.#where });
    this.#paths = compileAnswerPaths(config, {
      where: this.#where,
      fallbackModel: config.id,
      priceUsage: deps.priceUsage,
    });
    this.#request = template.bind(deps.secrets);
    this.#redactor = createRedactor(deps.secrets.values());
    this.#turns = (deps.pacers ?? new Pacers(deps)).turnsOf({
      by: 'targets',
      key: paceKey.host(this.#request.sampleUrl),
      timeoutS: config.timeout_s,
      attempts: config.retries + 1,
    });
  }

  async check(): Promise<void> {
    try {
      await this.#deps.outbound.checkUrl(this.#request.sampleUrl);
    } catch (error) {
      if (!(error instanceof OutboundBlockedError)) throw error;
      const fault = { field: `${this.#where}.url`, message: this.#redactor.text(error.message) };
      throw new ConfigError([fault]);
    }
  }

  async ask({ row, signal }: TargetRequest): Promise<TargetReply> {
    const request = this.#request.render(row);
    if (!request.ok)
      return this.#failed('bad-request', request.message, { latencyMs: null }, { attempts: 0, throttled: 0 });
    const tally = { attempts: 0, throttled: 0 };
    let last: Attempt | null = null;
    for (let faults = 0; ; ) {
      const turn = await this.#turns.take(signal);
      if (typeof turn === 'string') return this.#withoutTurn(turn, last, tally, signal);
      const attempt = await this.#attempt(request.value, signal);
      last = attempt;
      if (attempt.fault?.sent !== false) tally.attempts += 1;
      if (this.#isThrottled(attempt)) {
        tally.throttled += 1;
        await this.#turns.throttled(turn, parseRetryAfter(attempt.reply?.retryAfter, this.#deps.clock.now()));
        // To wait for one's turn is no retry; to be sent again is.
        if (this.#config.retries === 0) return this.#conclude(attempt, tally);
        continue;
      }
      if (attempt.reply === undefined) this.#turns.failed(turn);
      else this.#turns.answered(turn);
      faults += 1;
      if (faults > this.#config.retries || !this.#mayRetry(attempt)) return this.#conclude(attempt, tally);
      const retryAfterMs = parseRetryAfter(attempt.reply?.retryAfter, this.#deps.clock.now());
      const delayMs = retryDelayMs(faults, retryAfterMs, this.#deps.random());
      const slept = await this.#deps.clock.sleep(delayMs, signal).then(
        () => true,
        () => false,
      );
      if (!slept) return this.#conclude(attempt, tally);
    }
  }

  /** Nothing of its own to close. */
  async close(): Promise<void> {}

  /** The limit spans everything from the first byte sent to the last one read, redirects included. */
  async #attempt(request: HttpRequest, runSignal: AbortSignal): Promise<Attempt> {
    if (runSignal.aborted) return { latencyMs: null, fault: { ...STOPPED, sent: false } };
    const { clock, outbound } = this.#deps;
    const limitMs = this.#config.timeout_s * 1000;
    const controller = new AbortController();
    const stop = () => controller.abort(new Error(STOPPED.message));
    const timer = setTimeout(() => controller.abort(new Error('timeout')), limitMs);
    runSignal.addEventListener('abort', stop, { once: true });
    const startedMs = clock.monotonicMs();
    try {
      const reply = await sendRequest(request, outbound, controller.signal);
      return { latencyMs: clock.monotonicMs() - startedMs, reply };
    } catch (error) {
      const host = hostOf(request.url);
      if (runSignal.aborted) return { latencyMs: null, fault: STOPPED };
      if (controller.signal.aborted) {
        const message = `no full answer from ${host} within ${this.#config.timeout_s} s`;
        return { latencyMs: limitMs, fault: { cause: 'timeout', message, retryable: false, sent: true } };
      }
      return { latencyMs: null, fault: classifyFault(error, host, outbound.maxResponseBytes) };
    } finally {
      clearTimeout(timer);
      runSignal.removeEventListener('abort', stop);
    }
  }

  /** 503 with a time to come back is a full house, too. What is allowed as an answer is one. */
  #isThrottled({ reply }: Attempt): boolean {
    if (reply === undefined || this.#config.allowed_status.includes(reply.status)) return false;
    return reply.status === 429 || (reply.status === 503 && reply.retryAfter !== undefined);
  }

  #withoutTurn(why: NoTurn, last: Attempt | null, tally: Tally, { aborted }: AbortSignal): TargetReply {
    if (aborted) return this.#conclude({ latencyMs: null, fault: STOPPED }, tally);
    if (why === 'waiting is over') throw new NoTurnError(`target "${this.id}" throttled the run until it was over`);
    if (last !== null) return this.#conclude(last, tally);
    return this.#failed('throttled', 'the target throttles and answers nobody', { latencyMs: null }, tally);
  }

  #mayRetry({ reply, fault }: Attempt): boolean {
    if (reply === undefined) return fault?.retryable === true;
    return isRetryableStatus(reply.status) && !this.#config.allowed_status.includes(reply.status);
  }

  #conclude(attempt: Attempt, tally: Tally): TargetReply {
    const { reply, fault } = attempt;
    if (reply === undefined) {
      return this.#failed(fault?.cause ?? 'connection', fault?.message ?? 'no answer', attempt, tally);
    }
    const parsed = parseReply(reply, {
      needsJson: this.#paths.needsJson,
      allowedStatus: this.#config.allowed_status,
      redactor: this.#redactor,
    });
    if (!parsed.ok) return this.#failed(parsed.cause, parsed.message, attempt, tally);
    const { outcome, usage, cost } = this.#paths.read(parsed.body);
    if (!outcome.ok) {
      return this.#failed(outcome.cause, outcome.message, attempt, tally, { usage, cost, answer: outcome.answer });
    }
    const answer = this.#redactor.json(outcome.answer as JsonValue) as Answer;
    return { status: 'answered', answer, latencyMs: attempt.latencyMs, ...tally, usage, cost };
  }

  #failed(
    cause: TargetErrorCause,
    message: string,
    { latencyMs }: Pick<Attempt, 'latencyMs'>,
    tally: Tally,
    known: { usage?: Usage | null; cost?: Cost; answer?: Partial<Answer> } = {},
  ): TargetReply {
    const { usage = null, cost = { status: 'not_metered' }, answer } = known;
    const base = {
      status: 'failed',
      cause,
      message: this.#redactor.text(message),
      latencyMs,
      ...tally,
      usage,
      cost,
    } as const;
    return answer === undefined
      ? base
      : { ...base, answer: this.#redactor.json(answer as JsonValue) as Partial<Answer> };
  }
}

const STOPPED: ConnectionFault = {
  cause: 'connection',
  message: 'the run was stopped before the answer came',
  retryable: false,
  sent: true,
};
