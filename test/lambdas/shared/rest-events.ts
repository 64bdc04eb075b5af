import { ROUTES } from '../../../lambdas/routes.ts';
import { matchRoute } from '../../../src/dev/http-event.ts';

export interface RestCall {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly query?: string;
  readonly body?: string | Uint8Array | null;
  /** `AWS_IAM`: the gateway checked a signature. */
  readonly userArn?: string;
  readonly stage?: string;
}

/** What a REST API that takes every body as binary sends a function for a request (format 1.0), all of its fields. */
export function restEvent(method: string, path: string, call: RestCall = {}) {
  const matched = matchRoute(method, path, ROUTES);
  if (matched === null) throw new Error(`no route for ${method} ${path}`);
  const { stage = 'prod', userArn = null } = call;
  const headers: Record<string, readonly string[]> = {
    Accept: ['*/*'],
    Host: ['a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com'],
    'User-Agent': ['curl/8.7.1'],
    'X-Amzn-Trace-Id': ['Root=1-67891233-abcdef012345678912345678'],
    'X-Forwarded-For': ['203.0.113.17'],
    'X-Forwarded-Port': ['443'],
    'X-Forwarded-Proto': ['https'],
    ...Object.fromEntries(Object.entries(call.headers ?? {}).map(([name, value]) => [name, [value].flat()])),
  };
  const query = new URLSearchParams(call.query);
  const lists = Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
  const { body } = call;
  const raw = matched.route.path
    .split('/')
    .map((part, at) => [/^\{(\w+)\}$/.exec(part)?.[1], path.split('/')[at] ?? ''] as const);
  const parameters = raw.flatMap(([name, value]) => (name === undefined ? [] : [[name, value] as const]));
  return {
    resource: matched.route.path,
    path,
    httpMethod: method,
    headers: lastOf(headers),
    multiValueHeaders: headers,
    queryStringParameters: query.size === 0 ? null : lastOf(lists),
    multiValueQueryStringParameters: query.size === 0 ? null : lists,
    pathParameters: parameters.length === 0 ? null : Object.fromEntries(parameters),
    stageVariables: null,
    requestContext: {
      resourceId: 'xy12ab',
      resourcePath: matched.route.path,
      httpMethod: method,
      extendedRequestId: 'AbCdEfGhIjKlMnO=',
      requestTime: '30/Nov/2026:10:00:00 +0000',
      path: `/${stage}${path}`,
      accountId: '111122223333',
      protocol: 'HTTP/1.1',
      stage,
      domainPrefix: 'a1b2c3d4e5',
      requestTimeEpoch: Date.UTC(2026, 10, 30, 10),
      requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
      identity: {
        cognitoIdentityPoolId: null,
        accountId: userArn === null ? null : '111122223333',
        cognitoIdentityId: null,
        caller: userArn === null ? null : 'AIDAEXAMPLE',
        sourceIp: '203.0.113.17',
        principalOrgId: null,
        accessKey: userArn === null ? null : 'AKIDEXAMPLE',
        cognitoAuthenticationType: null,
        cognitoAuthenticationProvider: null,
        userArn,
        userAgent: 'curl/8.7.1',
        user: userArn === null ? null : 'AIDAEXAMPLE',
      },
      domainName: 'a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com',
      deploymentId: 'd1e2f3',
      apiId: 'a1b2c3d4e5',
    },
    // Every body is binary to such an API.
    body: body == null || body.length === 0 ? null : Buffer.from(body).toString('base64'),
    isBase64Encoded: body != null && body.length > 0,
  };
}

const lastOf = (lists: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1)]));
