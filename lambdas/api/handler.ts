import middy from '@middy/core';
import { ROUTES, type Route, routeKey } from '../routes.ts';
import { HttpProblem, problemResponse, toProblem } from '../shared/http-problem.ts';
import { readRequest } from '../shared/http-request.ts';
import type { HttpResponse } from '../shared/http-response.ts';
import { log } from '../shared/log.ts';
import { basePathOf, httpEventOf } from '../shared/rest-event.ts';
import { ANYONE, refuseBeyondAccess } from './caller.ts';
import { authenticateManagement } from './management-auth.ts';
import { OPERATIONS } from './operations.ts';
import { type ApiOperation, type ApiPorts, portsFor } from './ports.ts';

interface Served {
  readonly route: Route;
  readonly operation: ApiOperation;
}
const BY_ROUTE_KEY: ReadonlyMap<string, Served> = new Map(
  ROUTES.map((route) => [routeKey(route), { route, operation: OPERATIONS[route.operation] }]),
);

/** An event of the HTTP API (format 2.0) or of a REST API (1.0) in, its answer out. Every failure is an answer too: problem JSON. */
export const createHandler = (ports: ApiPorts) =>
  middy()
    .onError((request) => {
      request.response = answerFailure(request.error, request.event);
    })
    .handler((event: unknown) => answer(event, ports));

async function answer(event: unknown, ports: ApiPorts): Promise<HttpResponse> {
  const request = readRequest(event);
  const served = BY_ROUTE_KEY.get(request.routeKey);
  if (served === undefined) throw new HttpProblem(404, 'no-such-route', 'the API has no such call');
  const { route, operation } = served;
  const caller = route.auth === 'management' ? await authenticateManagement(request, ports) : ANYONE;
  refuseBeyondAccess(caller, route);
  return below(basePathOf(event), await operation(request, portsFor(caller, ports), caller));
}

/** `location` is what clients follow by themselves: it needs the whole path. Paths in bodies are relative to the API's address. */
function below(basePath: string, response: HttpResponse): HttpResponse {
  const { location = '' } = response.headers;
  if (basePath === '' || !location.startsWith('/')) return response;
  return { ...response, headers: { ...response.headers, location: `${basePath}${location}` } };
}

function answerFailure(error: unknown, event: unknown): HttpResponse {
  const problem = toProblem(error);
  // The route and not the path, the error and not the request: neither body nor headers reach the log.
  const fields = { route: routeOf(event), status: problem.status, code: problem.code };
  if (problem.status >= 500 && problem.code !== 'not-supported-yet') log.error('request failed', error, fields);
  else if (problem.status === 401) log.warn('request refused', fields);
  return problemResponse(problem);
}

function routeOf(event: unknown): string | undefined {
  const request = httpEventOf(event) ?? event;
  const key = typeof request === 'object' && request !== null && 'routeKey' in request ? request.routeKey : undefined;
  return typeof key === 'string' && BY_ROUTE_KEY.has(key) ? key : undefined;
}
