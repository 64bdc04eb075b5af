import { randomUUID } from 'node:crypto';
import type { Fault } from '../core/errors.ts';
import { AssayError, ConfigError, formatFault } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { iamSigner, type Signer } from './iam-signature.ts';
import type { ParsedOptions } from './options.ts';

interface ApiErrorOptions extends ErrorOptions {
  readonly faults?: readonly Fault[];
}

/** The app answered that it will not do what was asked, or it could not be reached. */
export class ApiError extends AssayError {
  override readonly name = 'ApiError';
  /** Null: no answer came. */
  readonly status: number | null;
  /** What is wrong with what was sent, where the app says so; fields are those of the body. */
  readonly faults: readonly Fault[];
  constructor(message: string, status: number | null, { faults = [], ...options }: ApiErrorOptions = {}) {
    super(message, options);
    this.status = status;
    this.faults = faults;
  }
}

export const CONNECTION_OPTIONS = {
  url: { type: 'string' },
  token: { type: 'string' },
  auth: { type: 'string' },
} as const;
export const CONNECTION_HELP = `  --url <url>       of the deployed app, or of assay dev (default ASSAY_URL)
  --token <token>   of the management API (default ASSAY_TOKEN)
  --auth iam        sign with AWS credentials instead, where the stage wants that (default ASSAY_AUTH)`;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly json?: JsonValue;
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DeployedClientOptions {
  readonly url: string;
  /** Absent where only the webhook is called. */
  readonly token?: string;
  /** Signs management calls where the stage takes no token. */
  readonly sign?: Signer;
  readonly fetch?: typeof fetch;
  readonly sleep?: (ms: number) => Promise<void>;
}

const TIMEOUT_MS = 30_000;
const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
const TRY_AGAIN = new Set([429, 502, 503, 504]);

/** Calls of the HTTP API of a deployed app; the same for `assay dev`. Throws ApiError in words for people. */
export class DeployedClient {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #sign: Signer | undefined;
  readonly #fetch: typeof fetch;
  readonly #sleep: (ms: number) => Promise<void>;

  constructor({ url, token, sign, ...others }: DeployedClientOptions) {
    this.url = checkedUrl(url);
    this.#token = token;
    this.#sign = sign;
    this.#fetch = others.fetch ?? fetch;
    this.#sleep = others.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  }

  /** The app runs on this machine (assay dev). */
  get isLocal(): boolean {
    return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(this.url).hostname);
  }

  /** A management call. */
  manage(request: ApiRequest): Promise<JsonObject> {
    if (this.#sign !== undefined) return this.call(request, this.#sign);
    if (this.#token === undefined || this.#token === '') {
      const fix = 'set ASSAY_TOKEN or give --token; --auth iam where the stage wants AWS credentials';
      throw new ConfigError([{ message: 'no token for the management API', fix }]);
    }
    return this.call({ ...request, headers: { ...request.headers, authorization: `Bearer ${this.#token}` } });
  }

  /** Null: there is no such thing. */
  async find(path: string): Promise<JsonObject | null> {
    try {
      return await this.manage({ method: 'GET', path });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** Starts a gate run. A key of its own lets the call be repeated when the answer is lost on the way. */
  webhook(project: string, secret: string, body: JsonObject, key: string = randomUUID()): Promise<JsonObject> {
    const headers = { 'x-webhook-secret': secret, 'idempotency-key': key };
    return this.call({ method: 'POST', path: `/api/runs/webhook/${encodeURIComponent(project)}`, json: body, headers });
  }

  gate(path: string, secret: string): Promise<JsonObject> {
    return this.call({ method: 'GET', path, headers: { 'x-webhook-secret': secret } });
  }

  private async call(request: ApiRequest, sign?: Signer): Promise<JsonObject> {
    // What is not keyed may have been done although no answer came.
    const repeatable = request.method === 'GET' || request.headers?.['idempotency-key'] !== undefined;
    for (let attempt = 1; ; attempt += 1) {
      const reply = await this.send(request, sign).catch((error: unknown) => {
        // Something to mend here, not an app that does not answer.
        if (error instanceof AssayError) throw error;
        return unreachable(this.url, error);
      });
      if (!(reply instanceof ApiError) && reply.ok) return readBody(reply);
      const isLast = attempt === ATTEMPTS || !repeatable;
      if (reply instanceof ApiError) {
        if (isLast) throw reply;
      } else if (isLast || !TRY_AGAIN.has(reply.status)) {
        throw await refusal(request, reply);
      }
      await this.#sleep(waitMs(attempt, reply instanceof ApiError ? null : reply.headers.get('retry-after')));
    }
  }

  private async send({ method, path, json, form, headers }: ApiRequest, sign?: Signer): Promise<Response> {
    const url = new URL(`${this.url}${path}`);
    const plain = new Request(url, {
      method,
      headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(form === undefined ? {} : { body: form }),
    });
    // Whole, since a signature covers it.
    const body = plain.body === null ? null : new Uint8Array(await plain.arrayBuffer());
    const unsigned = Object.fromEntries(plain.headers);
    return this.#fetch(url, {
      method,
      headers: sign === undefined ? unsigned : await sign({ method, url, headers: unsigned, body }),
      ...(body === null ? {} : { body }),
      // Credentials go to the app that was named, and nowhere else.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }
}

/** The app that flags or the environment name. Throws ConfigError when they name none. */
export function clientOf(options: ParsedOptions, env: NodeJS.ProcessEnv = process.env): DeployedClient {
  const url = options.text('url') ?? env.ASSAY_URL ?? '';
  if (url === '') {
    throw new ConfigError([
      {
        message: 'no app is named',
        fix: 'set ASSAY_URL (an output of cdk deploy; http://localhost:8080 for assay dev) or give --url',
      },
    ]);
  }
  const auth = options.text('auth') ?? env.ASSAY_AUTH ?? 'token';
  if (auth === 'iam') return new DeployedClient({ url, sign: iamSigner(url, { env }) });
  if (auth !== 'token') {
    throw new ConfigError([{ message: `--auth "${auth}" is not known`, fix: 'token (the default) or iam' }]);
  }
  const token = options.text('token') ?? env.ASSAY_TOKEN;
  return new DeployedClient({ url, ...(token === undefined ? {} : { token: token.trim() }) });
}

/** Throws ConfigError when it is not set. */
export function webhookSecretOf(env: NodeJS.ProcessEnv = process.env): string {
  const secret = (env.ASSAY_WEBHOOK_SECRET ?? '').trim();
  if (secret !== '') return secret;
  throw new ConfigError([
    {
      message: 'no webhook secret',
      fix: 'set ASSAY_WEBHOOK_SECRET to what `assay push` printed when it made the project',
    },
  ]);
}

function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ConfigError([{ message: `"${text}" is no http or https URL`, fix: 'such as https://….amazonaws.com' }]);
  }
  return text.replace(/\/+$/, '');
}

function waitMs(attempt: number, retryAfter: string | null): number {
  const asked = retryAfter !== null && /^\d{1,4}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : 0;
  return Math.min(LONGEST_WAIT_MS, Math.max(asked, FIRST_WAIT_MS * 2 ** (attempt - 1)));
}

function unreachable(url: string, error: unknown): ApiError {
  const cause = error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
  return new ApiError(`${url} cannot be reached: ${cause}`, null, { cause: error });
}

async function readBody(reply: Response): Promise<JsonObject> {
  const text = await reply.text();
  if (text === '') return {};
  const value = parse(text);
  if (isJsonObject(value)) return value;
  throw new ApiError(`${reply.url} answered ${reply.status} without JSON: is that an Assay app?`, reply.status);
}

/** Problem JSON in plain words. */
async function refusal({ method, path }: ApiRequest, reply: Response): Promise<ApiError> {
  const problem = parse(await reply.text().catch(() => ''));
  const body = isJsonObject(problem) ? problem : {};
  const faults = (Array.isArray(body.faults) ? body.faults.filter(isJsonObject) : []) as unknown as readonly Fault[];
  const detail =
    faults.length > 0 ? faults.map(formatFault).join('\n') : String(body.detail ?? body.message ?? reply.statusText);
  const hint = reply.status === 401 || reply.status === 403 ? ' (check the token, or the webhook secret)' : '';
  return new ApiError(`${method} ${path}: HTTP ${reply.status}: ${detail}${hint}`, reply.status, { faults });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
