import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { log } from '../../lambdas/shared/log.ts';
import { matchRoute, toHttpEvent } from './http-event.ts';
import { type LambdaHost, MAX_SYNC_BYTES } from './lambda-host.ts';

/** API Gateway takes no more, whatever the function could. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_PATH_BYTES = 10_240;

const AnswerSchema = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

export interface LocalHttpApi {
  readonly url: string;
  close(): Promise<void>;
}

export interface HttpApiOptions {
  readonly host: LambdaHost;
  /** 0: a free port. */
  readonly port: number;
  readonly now: () => Date;
}

/** The HTTP API on this machine: requests become events for the `api` function, its results answers. */
export async function startHttpApi({ host, port, now }: HttpApiOptions): Promise<LocalHttpApi> {
  const server = createServer((request, response) => {
    handle(request, host, now)
      .catch((error: unknown): Answer => {
        log.error('request failed', error);
        return plain(500, 'Internal Server Error');
      })
      .then((answer) => send(response, answer))
      .catch(() => response.destroy());
  });
  const url = await listen(server, port);
  return { url, close: () => close(server) };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

async function handle(request: IncomingMessage, host: LambdaHost, now: () => Date): Promise<Answer> {
  const body = await readBody(request);
  if ((request.url ?? '').length > MAX_PATH_BYTES) return plain(414, 'Request-URI Too Large');
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  // The gateway is said to pass a slash at the end on; people type one behind this path.
  const matched = matchRoute(request.method ?? 'GET', path === '/console/' ? '/console' : path);
  if (matched === null) return plain(404, 'Not Found');
  if (body === null) return plain(413, 'Request Entity Too Large');
  const event = JSON.stringify(toHttpEvent(request, body, matched, now()));
  if (Buffer.byteLength(event) > MAX_SYNC_BYTES) return plain(413, 'Request Entity Too Large');
  const reply = await host.invoke('api', event);
  if (!reply.failed) return toAnswer(reply.payload);
  log.error('api failed', reply.payload.slice(0, 2_000));
  const timedOut = (JSON.parse(reply.payload) as { errorType?: string }).errorType === 'Sandbox.Timedout';
  return timedOut ? plain(503, 'Service Unavailable') : plain(500, 'Internal Server Error');
}

/** A result without a status code is the body of a 200, as the service has it. */
function toAnswer(payload: string): Answer {
  const result = JSON.parse(payload) as unknown;
  const hasStatus = typeof result === 'object' && result !== null && 'statusCode' in result;
  if (!hasStatus) return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(payload) };
  const parsed = AnswerSchema.safeParse(result);
  if (!parsed.success) return plain(500, 'Internal Server Error');
  const { statusCode, headers, cookies, body, isBase64Encoded } = parsed.data;
  const plainHeaders = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return {
    status: statusCode,
    headers: { ...Object.fromEntries(plainHeaders), ...(cookies?.length ? { 'set-cookie': cookies } : {}) },
    body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

/** The words of API Gateway. */
function plain(status: number, message: string): Answer {
  const body = Buffer.from(JSON.stringify({ message }));
  return { status, headers: { 'content-type': 'application/json' }, body };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, {
    ...(headers as Record<string, string | string[]>),
    ...(status === 204 ? {} : { 'content-length': body.byteLength }),
  });
  response.end(body);
}

/** Null: too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    // Read to its end and dropped: an answer in the middle of a body reaches few clients.
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return bytes > MAX_BODY_BYTES ? null : Buffer.concat(chunks);
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(`http://localhost:${(server.address() as AddressInfo).port}`));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 1_000).unref();
  });
}
