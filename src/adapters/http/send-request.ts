import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { HttpRequest } from './http-request.ts';
import { pairsWithout } from './http-request.ts';
import type { OutboundDispatcher } from './outbound-guard.ts';
import { OutboundBlockedError } from './url-rules.ts';

export interface HttpReply {
  readonly status: number;
  /** As sent; '' when there is none. */
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * One exchange: the request, at most 3 redirects within the same origin, and the whole body as text.
 * Rejects with the signal's reason, OutboundBlockedError, or the network's own error.
 */
export async function sendRequest(
  first: HttpRequest,
  outbound: OutboundDispatcher,
  signal: AbortSignal,
): Promise<HttpReply> {
  let request = first;
  for (let hop = 0; ; hop += 1) {
    const { origin, pathname, search } = new URL(request.url);
    const exchange = outbound.dispatcher.request({
      origin,
      path: pathname + search,
      method: request.method,
      headers: request.headers as string[],
      body: request.body,
      signal,
    });
    const response = await exchange.catch((error: unknown) => {
      if (hop > 0 && error instanceof OutboundBlockedError) throw refusedRedirect(error.message);
      throw error;
    });
    const location = headerText(response.headers.location);
    if (!REDIRECTS.has(response.statusCode) || location === '') return readReply(response, outbound.maxResponseBytes);
    await response.body.dump();
    if (hop === MAX_REDIRECTS) throw refusedRedirect(`${hostOf(request.url)}: more than ${MAX_REDIRECTS} redirects`);
    request = redirected(request, response.statusCode, location);
  }
}

/** Host and port of a URL for messages; never its path or query, which may hold secrets. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the URL';
}

function refusedRedirect(message: string): OutboundBlockedError {
  return new OutboundBlockedError(message, { requestSent: true });
}

function redirected(from: HttpRequest, status: number, location: string): HttpRequest {
  const here = new URL(from.url);
  if (!URL.canParse(location, here.href)) throw refusedRedirect(`${here.host} redirects to an invalid URL`);
  const next = new URL(location, here);
  if (next.origin !== here.origin) {
    const there = next.origin === 'null' ? next.protocol : `${next.protocol}//${next.host}`;
    throw refusedRedirect(`${here.origin} redirects to another origin, ${there}: nothing was sent there`);
  }
  if (next.username !== '' || next.password !== '')
    throw refusedRedirect(`${here.host} redirects to a URL with credentials`);
  const becomesGet = status === 303 || ((status === 301 || status === 302) && from.method === 'POST');
  if (!becomesGet) return { ...from, url: next.href };
  const headers = pairsWithout(from.headers, (name) => name.startsWith('content-'));
  return { url: next.href, method: 'GET', headers, body: null };
}

async function readReply({ statusCode, headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<HttpReply> {
  const contentType = headerText(headers['content-type']);
  const encoding = headerText(headers['content-encoding']).trim().toLowerCase();
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  const isPlain = (encoding === '' || encoding === 'identity') && (charset === 'utf-8' || charset === 'utf8');
  const text = isPlain ? await body.text() : decode(await unpack(await body.bytes(), encoding, maxBytes), charset);
  return { status: statusCode, contentType, retryAfter: headerText(headers['retry-after']) || undefined, text };
}

const UNPACK: Readonly<
  Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** We ask for no encoding; some servers pack all the same. The limit holds for the unpacked size, too. */
async function unpack(bytes: Uint8Array, encoding: string, maxOutputLength: number): Promise<Uint8Array> {
  return bytes.length === 0 ? bytes : ((await UNPACK[encoding]?.(bytes, { maxOutputLength })) ?? bytes);
}

function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // a charset nobody knows
  }
}

function headerText(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
