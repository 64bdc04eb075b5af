import { ConfigError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Redactor } from '../../core/redact.ts';
import { createRedactor } from '../../core/redact.ts';
import type { Answer, Cost, Usage } from '../../core/schemas/answer.ts';
import type { TargetErrorCause } from '../../core/schemas/result.ts';
import type { HttpTargetConfig } from '../../core/schemas/target-config.ts';
import type { AnswerPaths, PriceUsage } from '../../core/template/read-answer.ts';
import { compileAnswerPaths } from '../../core/template/read-answer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Target, TargetReply, TargetRequest } from '../../ports/target.ts';
import { AdaptiveLimit } from '../adaptive-limit.ts';
import type { ConnectionFault } from './connection-fault.ts';
import { classifyFault } from './connection-fault.ts';
import type { BoundRequest, HttpRequest } from './http-request.ts';
import { compileHttpRequest } from './http-request.ts';
import type { OutboundDispatcher } from './outbound-guard.ts';
import { parseReply } from './parse-reply.ts';
import { isRetryableStatus, parseRetryAfter, retryDelayMs } from './retry-policy.ts';
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
}

interface Attempt {
  readonly latencyMs: number | null;
  readonly reply?: HttpReply;
  readonly fault?: ConnectionFault;
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
  readonly #limit = new AdaptiveLimit();

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
    if (!request.ok) return this.#failed('bad-request', request.message, { latencyMs: null }, 0);
    let attempts = 0;
    for (;;) {
      const attempt = await this.#limit.run((wave) => this.#attempt(request.value, signal, wave));
      if (attempt.fault?.sent !== false) attempts += 1;
      if (attempts > this.#config.retries || !this.#mayRetry(attempt)) return this.#conclude(attempt, attempts);
      const retryAfterMs = parseRetryAfter(attempt.reply?.retryAfter, this.#deps.clock.now());
      const delayMs = retryDelayMs(attempts, retryAfterMs, this.#deps.random());
      const slept = await this.#deps.clock.sleep(delayMs, signal).then(
        () => true,
        () => false,
      );
      if (!slept) return this.#conclude(attempt, attempts);
    }
  }

  /** Nothing of its own to close. */
  async close(): Promise<void> {}

  /** The limit spans everything from the first byte sent to the last one read, redirects included. */
  async #attempt(request: HttpRequest, runSignal: AbortSignal, wave: number): Promise<Attempt> {
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
      this.#noteThrottling(reply, wave);
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

  /** One throttled row slows all of them down, instead of each row running into the same wall. */
  #noteThrottling({ status, retryAfter }: HttpReply, wave: number): void {
    if (status === 429 || (status === 503 && retryAfter !== undefined)) this.#limit.throttled(wave);
    else this.#limit.succeeded();
  }

  #mayRetry({ reply, fault }: Attempt): boolean {
    if (reply === undefined) return fault?.retryable === true;
    return isRetryableStatus(reply.status) && !this.#config.allowed_status.includes(reply.status);
  }

  #conclude(attempt: Attempt, attempts: number): TargetReply {
    const { reply, fault } = attempt;
    if (reply === undefined) {
      return this.#failed(fault?.cause ?? 'connection', fault?.message ?? 'no answer', attempt, attempts);
    }
    const parsed = parseReply(reply, {
      needsJson: this.#paths.needsJson,
      allowedStatus: this.#config.allowed_status,
      redactor: this.#redactor,
    });
    if (!parsed.ok) return this.#failed(parsed.cause, parsed.message, attempt, attempts);
    const { outcome, usage, cost } = this.#paths.read(parsed.body);
    if (!outcome.ok) {
      return this.#failed(outcome.cause, outcome.message, attempt, attempts, { usage, cost, answer: outcome.answer });
    }
    const answer = this.#redactor.json(outcome.answer as JsonValue) as Answer;
    return { status: 'answered', answer, latencyMs: attempt.latencyMs, attempts, usage, cost };
  }

  #failed(
    cause: TargetErrorCause,
    message: string,
    { latencyMs }: Pick<Attempt, 'latencyMs'>,
    attempts: number,
    known: { usage?: Usage | null; cost?: Cost; answer?: Partial<Answer> } = {},
  ): TargetReply {
    const { usage = null, cost = { status: 'not_metered' }, answer } = known;
    const base = {
      status: 'failed',
      cause,
      message: this.#redactor.text(message),
      latencyMs,
      attempts,
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
