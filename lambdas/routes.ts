/**
 * Who may call a route. `webhook`: the project's webhook secret or HMAC, checked in the handler since the signature
 * covers the raw body. `management`: the stage's one way, Bearer token (checked in the handler) or IAM (by API Gateway).
 * `link`: the address itself holds a signature that expires, for people whose browser brings no token.
 * `none`: what holds nothing of anybody's.
 */
export type RouteAuth = 'webhook' | 'management' | 'link' | 'none';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As API Gateway spells it: `{name}` takes one path segment; a literal segment wins over a variable one. */
  readonly path: `/api/${string}` | `/console${string}` | '/openapi.json';
  readonly auth: RouteAuth;
  /** What the API function does for it; unique. */
  readonly operation: string;
  /** True for a call that only looks though its method is not GET: tokens that read may make it. */
  readonly reads?: true;
}

/** Every call of the HTTP API: CDK makes its routes from this table, the dev server and the handler find theirs in it. */
export const ROUTES = [
  { method: 'GET', path: '/openapi.json', auth: 'none', operation: 'readOpenApi' },
  { method: 'GET', path: '/console', auth: 'none', operation: 'readConsole' },
  { method: 'GET', path: '/console/{file}', auth: 'none', operation: 'readConsoleFile' },

  { method: 'POST', path: '/api/runs/webhook/{project}', auth: 'webhook', operation: 'startGateRun' },
  { method: 'GET', path: '/api/gates/{gateRunId}', auth: 'webhook', operation: 'readGate' },

  { method: 'POST', path: '/api/projects', auth: 'management', operation: 'createProject' },
  { method: 'GET', path: '/api/projects', auth: 'management', operation: 'listProjects' },
  { method: 'GET', path: '/api/projects/{id}', auth: 'management', operation: 'readProject' },
  { method: 'PUT', path: '/api/projects/{id}', auth: 'management', operation: 'putProject' },
  { method: 'GET', path: '/api/projects/{id}/secrets', auth: 'management', operation: 'listSecrets' },
  { method: 'POST', path: '/api/projects/{id}/webhook-secret', auth: 'management', operation: 'rotateWebhookSecret' },

  { method: 'POST', path: '/api/projects/{id}/calibrations', auth: 'management', operation: 'pushCalibration' },
  { method: 'GET', path: '/api/projects/{id}/calibrations', auth: 'management', operation: 'listCalibrations' },

  { method: 'POST', path: '/api/tokens', auth: 'management', operation: 'createToken' },
  { method: 'GET', path: '/api/tokens', auth: 'management', operation: 'listTokens' },
  { method: 'GET', path: '/api/tokens/self', auth: 'management', operation: 'readCaller' },
  { method: 'DELETE', path: '/api/tokens/{id}', auth: 'management', operation: 'revokeToken' },

  { method: 'POST', path: '/api/datasets/project/{project}', auth: 'management', operation: 'putDataset' },
  { method: 'GET', path: '/api/datasets/project/{project}', auth: 'management', operation: 'listDatasets' },
  { method: 'POST', path: '/api/datasets/project/{project}/uploads', auth: 'management', operation: 'openUpload' },
  {
    method: 'POST',
    path: '/api/datasets/project/{project}/uploads/{uploadId}/complete',
    auth: 'management',
    operation: 'completeUpload',
  },
  { method: 'GET', path: '/api/datasets/{id}', auth: 'management', operation: 'readDataset' },
  { method: 'DELETE', path: '/api/datasets/{id}', auth: 'management', operation: 'deleteDataset' },
  { method: 'GET', path: '/api/datasets/runs/{id}/results', auth: 'management', operation: 'listResults' },

  { method: 'POST', path: '/api/evals/project/{project}', auth: 'management', operation: 'createEval' },
  { method: 'GET', path: '/api/evals/project/{project}', auth: 'management', operation: 'listEvals' },
  { method: 'GET', path: '/api/evals/{id}', auth: 'management', operation: 'readEval' },
  { method: 'PUT', path: '/api/evals/{id}', auth: 'management', operation: 'putEval' },
  { method: 'DELETE', path: '/api/evals/{id}', auth: 'management', operation: 'deleteEval' },
  { method: 'POST', path: '/api/evals/{id}/runs', auth: 'management', operation: 'startRun' },
  { method: 'GET', path: '/api/evals/{id}/trend', auth: 'management', operation: 'readTrend' },
  { method: 'PUT', path: '/api/evals/{id}/baseline', auth: 'management', operation: 'promoteBaseline' },
  { method: 'GET', path: '/api/evals/{id}/baseline', auth: 'management', operation: 'readBaseline' },
  { method: 'GET', path: '/api/evals/{id}/versions', auth: 'management', operation: 'readHistory' },
  { method: 'PUT', path: '/api/evals/{id}/state', auth: 'management', operation: 'setEvalState' },

  { method: 'GET', path: '/api/runs/{id}', auth: 'management', operation: 'readRun' },
  { method: 'DELETE', path: '/api/runs/{id}', auth: 'management', operation: 'cancelRun' },
  { method: 'GET', path: '/api/runs/{id}/row', auth: 'management', operation: 'readRow' },
  { method: 'GET', path: '/api/runs/{id}/compare/{other}', auth: 'management', operation: 'compareRuns' },
  { method: 'POST', path: '/api/runs/{id}/decide', auth: 'management', operation: 'decideRun', reads: true },
  { method: 'POST', path: '/api/runs/{id}/compact', auth: 'management', operation: 'compactRun' },
  { method: 'GET', path: '/api/runs/{id}/report', auth: 'management', operation: 'readReport' },
  { method: 'GET', path: '/api/runs/{id}/junit', auth: 'management', operation: 'readJUnit' },

  { method: 'GET', path: '/api/links/{id}/report', auth: 'link', operation: 'openReportLink' },
  { method: 'GET', path: '/api/links/{id}/junit', auth: 'link', operation: 'openJUnitLink' },
  { method: 'POST', path: '/api/links/rotate', auth: 'management', operation: 'rotateLinks' },
] as const satisfies readonly Route[];

/** Name of an operation of the API. */
export type Operation = (typeof ROUTES)[number]['operation'];

/** Does a call change nothing? */
export function onlyReads({ method, reads }: Route): boolean {
  return method === 'GET' || reads === true;
}

/** The `routeKey` of the Lambda event (format 2.0) that API Gateway sends for a route. */
export function routeKey(route: Route): string {
  return `${route.method} ${route.path}`;
}
