import type { Agent as AgentType, Dispatcher } from 'undici';
import { NO_COST, priceUsage } from '../../core/cost/cost.ts';
import { type PriceTable, priceOf } from '../../core/cost/price-table.ts';
import { ConfigError } from '../../core/errors.ts';
import { parseRetryAfter } from '../../core/pace/retry-after.ts';
import { createRedactor, type Redactor } from '../../core/redact.ts';
import type { Cost, Usage } from '../../core/schemas/answer.ts';
import type { JudgeConfig } from '../../core/schemas/judge-config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Judge, JudgeReply, JudgeRequest } from '../../ports/judge.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { startDeadline } from '../call-deadline.ts';
import { type AttemptFailure, type AttemptOutcome, withBackoff } from '../judge-backoff.ts';
import { Pacers, paceKey, type Turns } from '../pacing/pacers.ts';
import {
  type ChatDialect,
  type ChatReply,
  FIRST_DIALECT,
  lesserDialect,
  readChatBody,
  readErrorText,
  toChatBody,
} from './openai-protocol.ts';
import { Agent } from './undici.ts';

export type OpenAiJudgeConfig = Extract<JudgeConfig, { type: 'openai' }>;

export interface OpenAiJudgeDeps {
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly prices: PriceTable;
  /** Where `{{secrets.NAME}}` in the API key is read from. */
  readonly secrets: Secrets;
  /** Who else keeps the pace of a server that throttles. @default nobody */
  readonly pacers?: Pacers;
}

const MAX_REPLY_BYTES = 4 * 1024 * 1024;
const SECRET = /\{\{\s*secrets\.([A-Z][A-Z0-9_]{0,63})\s*\}\}/g;

/**
 * A model behind an OpenAI-compatible server. Asks for a verdict under a JSON schema; where the server refuses that with
 * HTTP 400, by a forced tool, then in free text, and keeps for the run what worked. Not metered unless the model has a price.
 */
export class OpenAiJudge implements Judge {
  readonly type = 'openai';
  readonly isModel = true;
  readonly id: string;
  readonly model: string;
  readonly #config: OpenAiJudgeConfig;
  readonly #deps: OpenAiJudgeDeps;
  readonly #url: URL | null;
  readonly #turns: Turns;
  #dialect: ChatDialect = FIRST_DIALECT;
  #connection: Promise<Connection> | null = null;

  constructor(config: OpenAiJudgeConfig, deps: OpenAiJudgeDeps) {
    this.id = config.model;
    this.model = config.model;
    this.#config = config;
    this.#deps = deps;
    this.#url = URL.parse(`${config.url.replace(/\/+$/, '')}/chat/completions`);
    this.#turns = (deps.pacers ?? new Pacers(deps)).turnsOf({
      by: 'judges',
      key: `${paceKey.host(config.url)}:${config.model}`,
      timeoutS: config.timeout_s,
      attempts: 2,
    });
  }

  get channel(): Judge['channel'] {
    return this.#dialect.mode;
  }

  /** The URL is one and the secrets exist; sends nothing. */
  async check(): Promise<void> {
    const scheme = this.#url?.protocol;
    if (scheme !== 'http:' && scheme !== 'https:') {
      const fix = 'give the base URL of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1';
      throw new ConfigError([{ field: 'judge.url', message: `"${this.#config.url}" is no http or https URL`, fix }]);
    }
    if (this.#url?.username || this.#url?.password) {
      const fix = 'put the key into judge.api_key as {{secrets.NAME}}';
      throw new ConfigError([{ field: 'judge.url', message: 'the URL holds credentials', fix }]);
    }
    await this.#connect();
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    if (connection !== null) await (await connection).agent.close();
  }

  async ask({ prompt, signal }: JudgeRequest): Promise<JudgeReply> {
    const connection = await this.#connect();
    let adapted = 0;
    let throttledBefore = 0;
    for (;;) {
      const dialect = this.#dialect;
      const body = toChatBody(this.#config, prompt, dialect);
      const backoff = { ...this.#deps, turns: this.#turns };
      const tried = await withBackoff(() => this.#attempt(connection, body, signal), signal, backoff);
      const { outcome } = tried;
      const sent = { attempts: tried.attempts + adapted, throttled: tried.throttled + throttledBefore };
      if (outcome.ok) {
        const { usage } = outcome.value;
        const schemaText = dialect.mode === 'schema';
        return { status: 'replied', ...outcome.value, schemaText, cost: this.#price(usage), ...sent };
      }
      const { failure } = outcome;
      const lesser = failure.refusedForm === true ? lesserDialect(dialect, failure.message) : null;
      if (lesser === null || signal.aborted) {
        const { cause, message } = failure;
        return { status: 'failed', cause, message, usage: null, cost: this.#priceOfNothing(), ...sent };
      }
      this.#dialect = lesser;
      adapted = sent.attempts;
      throttledBefore = sent.throttled;
    }
  }

  async #attempt(connection: Connection, body: string, signal: AbortSignal): Promise<AttemptOutcome<ChatReply>> {
    if (signal.aborted) return failed('unavailable', 'the run stopped before the judge was asked', 'never');
    const timeoutMs = this.#config.timeout_s * 1000;
    const deadline = startDeadline(signal, timeoutMs);
    try {
      const response = await connection.send(body, deadline.signal);
      const text = await response.body.text();
      if (response.statusCode === 200) return toOutcome(text);
      const words = connection.redactor.text(readErrorText(text));
      return { ok: false, failure: httpFailure(response, words, this.#deps.clock) };
    } catch (error) {
      if (deadline.timedOut()) return failed('timeout', `the judge did not reply within ${timeoutMs} ms`, 'once');
      if (signal.aborted) return failed('unavailable', 'the run stopped while the judge was asked', 'never');
      const message = `no reply from the judge at ${this.#url?.origin}: ${describe(error)}`;
      return failed('unavailable', connection.redactor.text(message), 'transient');
    } finally {
      deadline.clear();
    }
  }

  #price(usage: Usage | null): Cost {
    const known = priceOf(this.model, this.#deps.prices) !== null;
    return known && usage !== null ? priceUsage(this.model, usage, this.#deps.prices) : { status: 'not_metered' };
  }

  #priceOfNothing(): Cost {
    return priceOf(this.model, this.#deps.prices) === null ? { status: 'not_metered' } : NO_COST;
  }

  #connect(): Promise<Connection> {
    this.#connection ??= this.#open().catch((error: unknown) => {
      this.#connection = null; // a failure is not kept: there would be nothing to close
      throw error;
    });
    return this.#connection;
  }

  async #open(): Promise<Connection> {
    const template = this.#config.api_key ?? '';
    const names = [...template.matchAll(SECRET)].map((match) => match[1] ?? '');
    const values = names.length === 0 ? new Map<string, string>() : await this.#deps.secrets.read(names);
    const key = template.replace(SECRET, (_, name: string) => values.get(name) ?? '');
    const agent = new Agent({ connections: null, pipelining: 1, maxResponseSize: MAX_REPLY_BYTES });
    const url = this.#url;
    if (url === null) throw new ConfigError([{ field: 'judge.url', message: `"${this.#config.url}" is no URL` }]);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    };
    const send = (body: string, signal: AbortSignal) =>
      agent.request({ origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body, signal });
    return { agent, send, redactor: createRedactor(key === '' ? [] : [key]) };
  }
}

interface Connection {
  readonly agent: AgentType;
  readonly send: (body: string, signal: AbortSignal) => Promise<Dispatcher.ResponseData>;
  readonly redactor: Redactor;
}

function toOutcome(text: string): AttemptOutcome<ChatReply> {
  const value = readChatBody(text);
  if (value !== null) return { ok: true, value };
  return failed('unavailable', 'the server replied with something else than a chat completion', 'never');
}

function failed(
  cause: AttemptFailure['cause'],
  message: string,
  retry: AttemptFailure['retry'],
): AttemptOutcome<ChatReply> {
  return { ok: false, failure: { cause, message, retry } };
}

function httpFailure({ statusCode, headers }: Dispatcher.ResponseData, text: string, clock: Clock): AttemptFailure {
  const message = `HTTP ${statusCode}: ${text}`;
  const header = headers['retry-after'];
  const retryAfterMs = parseRetryAfter(typeof header === 'string' ? header : undefined, clock.now()) ?? undefined;
  if (statusCode === 429) {
    const outOfCredit = /insufficient_quota/.test(text);
    return { cause: 'throttled', message, retry: outOfCredit ? 'never' : 'throttled', retryAfterMs };
  }
  if (statusCode === 401 || statusCode === 403) return { cause: 'access-denied', message, retry: 'never' };
  if (statusCode === 408) return { cause: 'timeout', message, retry: 'once' };
  if (statusCode >= 500) return { cause: 'unavailable', message, retry: 'transient', retryAfterMs };
  return { cause: 'bad-request', message, retry: 'never', refusedForm: statusCode === 400 || statusCode === 422 };
}

/** undici's aggregate errors have an empty message and the reason in their code. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message === '' ? code : error.message;
}
