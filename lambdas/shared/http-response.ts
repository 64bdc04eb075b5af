/** What a function answers to an HTTP API, format 2.0. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function jsonResponse(
  statusCode: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    statusCode,
    headers: { ...PRIVATE, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

export function emptyResponse(): HttpResponse {
  return { statusCode: 204, headers: PRIVATE, body: '' };
}

/** Nothing here is for a cache, a frame or a guess at its type. */
export const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
