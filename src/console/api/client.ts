import { failureOf, offline, unreadable } from './failure.ts';
import type {
  BaselineHistory,
  Caller,
  Dataset,
  DatasetDetail,
  Eval,
  EvalEntry,
  Project,
  ResultPage,
  Run,
  RunComparison,
  StartedGate,
  Trend,
  WholeResult,
} from './types.ts';

export interface ClientOptions {
  /** Where the API is, without a slash at the end. */
  readonly base: string;
  readonly token: string;
  /** @default the browser's */
  readonly fetch?: typeof fetch;
}

type Json = Record<string, unknown>;

/** The calls of the API that the console makes. Every one throws ApiFailure; an aborted one throws AbortError. */
export class ApiClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  caller(signal?: AbortSignal): Promise<Caller> {
    return this.#get('/api/tokens/self', signal);
  }
  async projects(signal?: AbortSignal): Promise<Project[]> {
    return (await this.#get<{ items: Project[] }>('/api/projects', signal)).items;
  }
  async evals(project: string, runs: number, signal?: AbortSignal): Promise<EvalEntry[]> {
    const path = `/api/evals/project/${encode(project)}?runs=${runs}`;
    return (await this.#get<{ items: EvalEntry[] }>(path, signal)).items;
  }
  readEval(id: string, signal?: AbortSignal): Promise<Eval> {
    return this.#get(`/api/evals/${encode(id)}`, signal);
  }
  trend(id: string, last: number, cursor?: string, signal?: AbortSignal): Promise<Trend> {
    return this.#get(`/api/evals/${encode(id)}/trend${query({ last: String(last), cursor })}`, signal);
  }
  baseline(id: string, signal?: AbortSignal): Promise<BaselineHistory> {
    return this.#get(`/api/evals/${encode(id)}/baseline`, signal);
  }
  async datasets(project: string, signal?: AbortSignal): Promise<Dataset[]> {
    return (await this.#get<{ items: Dataset[] }>(`/api/datasets/project/${encode(project)}`, signal)).items;
  }
  dataset(id: string, signal?: AbortSignal): Promise<DatasetDetail> {
    return this.#get(`/api/datasets/${encode(id)}`, signal);
  }
  run(id: string, signal?: AbortSignal): Promise<Run> {
    return this.#get(`/api/runs/${encode(id)}`, signal);
  }
  results(
    id: string,
    options: { failedOnly: boolean; limit: number; cursor?: string },
    signal?: AbortSignal,
  ): Promise<ResultPage> {
    const { failedOnly, limit, cursor } = options;
    const text = query({ failed_only: failedOnly ? 'true' : undefined, short: 'true', limit: String(limit), cursor });
    return this.#get(`/api/datasets/runs/${encode(id)}/results${text}`, signal);
  }
  async row(id: string, row: { rowId: string; index?: number }, signal?: AbortSignal): Promise<WholeResult[]> {
    const text = query({ row_id: row.rowId, index: row.index?.toString() });
    return (await this.#get<{ items: WholeResult[] }>(`/api/runs/${encode(id)}/row${text}`, signal)).items;
  }
  compare(first: string, second: string, signal?: AbortSignal): Promise<RunComparison> {
    return this.#get(`/api/runs/${encode(first)}/compare/${encode(second)}`, signal);
  }

  /** `key` makes a start that is sent twice one run. */
  startRun(evalId: string, origin: { ref?: string; sha?: string }, key: string): Promise<StartedGate> {
    const body = { ...origin, triggered_by: 'console' };
    return this.#send('POST', `/api/evals/${encode(evalId)}/runs`, body, { 'idempotency-key': key });
  }
  cancelRun(id: string): Promise<Json> {
    return this.#send('DELETE', `/api/runs/${encode(id)}`);
  }
  promote(evalId: string, promotion: { run_id: string; force: boolean; note?: string }): Promise<Json> {
    return this.#send('PUT', `/api/evals/${encode(evalId)}/baseline`, promotion);
  }

  #get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#call('GET', path, signal === undefined ? {} : { signal });
  }

  #send<T>(method: string, path: string, body?: Json, headers: Record<string, string> = {}): Promise<T> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    return this.#call(method, path, { ...json, headers: { 'content-type': 'application/json', ...headers } });
  }

  async #call<T>(method: string, path: string, init: RequestInit): Promise<T> {
    const { base, token, fetch: send = fetch } = this.#options;
    const headers = { accept: 'application/json', authorization: `Bearer ${token}`, ...init.headers };
    let reply: Response;
    let text: string;
    try {
      reply = await send(base + path, {
        ...init,
        method,
        headers,
        // A redirect would carry the token along; the calls made here have none.
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
      });
      text = await reply.text();
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw offline();
    }
    if (!reply.ok) throw failureOf(reply.status, text);
    try {
      return JSON.parse(text) as T;
    } catch {
      throw unreadable();
    }
  }
}

/** Ids reach the server as one path segment, whatever the address bar made of them. */
const encode = encodeURIComponent;

function query(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
