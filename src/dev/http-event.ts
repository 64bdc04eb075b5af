import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ROUTES, type Route, routeKey } from '../../lambdas/routes.ts';

export interface MatchedRoute {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The route of a request as API Gateway finds it: a literal segment wins over a variable one. Null: 404. */
export function matchRoute(method: string, path: string, routes: readonly Route[] = ROUTES): MatchedRoute | null {
  const segments = path.split('/').slice(1);
  let best: (MatchedRoute & { readonly literals: string }) | null = null;
  for (const route of routes) {
    if (route.method !== method) continue;
    const pattern = route.path.split('/').slice(1);
    if (pattern.length !== segments.length) continue;
    const parameters: Record<string, string> = {};
    let literals = '';
    const matches = pattern.every((part, at) => {
      const segment = segments[at] ?? '';
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      literals += name === undefined ? '1' : '0';
      if (name === undefined) return part === segment;
      const value = decode(segment);
      parameters[name] = value;
      return segment !== '';
    });
    if (matches && (best === null || literals > best.literals)) best = { route, parameters, literals };
  }
  return best;
}

/** An event of the HTTP API, format 2.0. */
export function toHttpEvent(request: IncomingMessage, body: Buffer, { route, parameters }: MatchedRoute, now: Date) {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, joined(value)]])),
  );
  const { cookie, ...others } = headers;
  const isText = isTextType(headers['content-type']);
  return {
    version: '2.0',
    routeKey: routeKey(route),
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    ...(cookie === undefined ? {} : { cookies: cookie.split(/; */) }),
    headers: others,
    ...(url.search.length > 1 ? { queryStringParameters: queryParameters(url.searchParams) } : {}),
    ...(Object.keys(parameters).length > 0 ? { pathParameters: parameters } : {}),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: {
        method: request.method ?? 'GET',
        path: url.pathname,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: routeKey(route),
      stage: '$default',
      time: now.toISOString(),
      timeEpoch: now.getTime(),
    },
    ...(body.byteLength === 0 ? {} : { body: isText ? body.toString('utf8') : body.toString('base64') }),
    isBase64Encoded: body.byteLength > 0 && !isText,
  };
}

/** API Gateway hands these on as text, everything else as base64. */
function isTextType(contentType: string | undefined): boolean {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return (
    type === '' || type.startsWith('text/') || /^application\/(json|javascript|xml|[\w.-]+\+(json|xml))$/.test(type)
  );
}

function queryParameters(params: URLSearchParams): Record<string, string> {
  const joinedValues: Record<string, string> = {};
  for (const name of new Set(params.keys())) joinedValues[name] = params.getAll(name).join(',');
  return joinedValues;
}

function joined(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join(',');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a stray percent sign: the handler refuses what is no id
  }
}
