import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CONTRACT } from '../../../lambdas/api/contract/contract.ts';
import { ROUTES, type Route, routeKey } from '../../../lambdas/routes.ts';
import { type RestCall, restEvent } from '../shared/rest-events.ts';
import { type Answer, evalNamed, SECRET, signed, TestApi, TOKEN } from './api.ts';

const bearer = { Authorization: `Bearer ${TOKEN}` };

/** The same API, asked as a REST API asks it. */
const rest = (api: TestApi, method: string, path: string, call: RestCall = {}): Promise<Answer> =>
  api.send(restEvent(method, path, call));

async function seeded(): Promise<{ api: TestApi; runId: string; gateId: string }> {
  const api = new TestApi();
  await api.seed(['faq']);
  return { api, ...(await api.startRun()) };
}

/** A path of a route with ids that exist. */
function pathOf({ path }: Route, { runId, gateId }: { runId: string; gateId: string }): string {
  const ids: Record<string, string> = {
    project: 'shop',
    gateRunId: gateId,
    other: runId,
    uploadId: 'faq.csv.1',
    row: 'row-0',
    file: 'app.js',
    name: 'x',
  };
  const id = /^\/api\/(projects)/.test(path)
    ? 'shop'
    : /^\/api\/(evals|datasets\/\{id\})/.test(path)
      ? 'shop.faq'
      : runId;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? id);
}

function bodyOf(operation: keyof typeof CONTRACT): { body?: string | Uint8Array; type?: string } {
  const contract: { body?: { example: unknown; isForm?: true } } = CONTRACT[operation];
  if (contract.body === undefined) return {};
  if (contract.body.isForm !== true) return { body: JSON.stringify(contract.body.example), type: 'application/json' };
  const boundary = 'x-boundary';
  const part = 'content-disposition: form-data; name="file"; filename="new.csv"\r\n\r\ninput,expected\nHi,Hello\n';
  return { body: `--${boundary}\r\n${part}\r\n--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` };
}

describe('every call answers a REST API as it answers an HTTP API', () => {
  it.each(ROUTES.map((route) => ({ key: routeKey(route), route })))('$key', async ({ route }) => {
    const [one, other] = [await seeded(), await seeded()];
    expect(one.runId).toBe(other.runId);
    const path = pathOf(route, one);
    const { body, type } = bodyOf(route.operation);
    const headers: Record<string, string> = {
      ...(route.auth === 'webhook' ? { 'X-Webhook-Secret': SECRET } : bearer),
      ...(type === undefined ? {} : { 'Content-Type': type }),
    };
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const asHttp = await one.api.call(route.method, path, { headers: lower, ...(body === undefined ? {} : { body }) });
    const asRest = await rest(other.api, route.method, path, { headers, body: body ?? null });
    expect(asRest.status).toBe(asHttp.status);
    expect(asRest.text).toBe(asHttp.text);
    const { location = '', ...others } = asHttp.headers;
    const { location: restLocation = '', ...restOthers } = asRest.headers;
    expect(restOthers).toEqual(others);
    expect(restLocation).toBe(location.startsWith('/') ? `/prod${location}` : location);
  });

  it.each(
    ROUTES.filter(({ auth }) => auth === 'management' || auth === 'webhook').map((route) => ({
      key: routeKey(route),
      route,
    })),
  )('$key lets nobody in who proves nothing', async ({ route }) => {
    const { api, ...ids } = await seeded();
    const { status } = await rest(api, route.method, pathOf(route, ids));
    expect(status).toBe(401);
  });
});

describe('through a REST API', () => {
  it('a project goes from its making to its gate', async () => {
    const api = new TestApi();
    const json = { ...bearer, 'Content-Type': 'application/json' };
    const made = await rest(api, 'POST', '/api/projects', { headers: json, body: '{"id":"shop"}' });
    expect([made.status, made.headers.location]).toEqual([201, '/prod/api/projects/shop']);

    const form = new FormData();
    form.set('file', new File([gzipSync('input,expected\nHi,Hello\n')], 'faq.csv.gz'));
    form.set('name', 'faq');
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? '';
    const uploaded = await rest(api, 'POST', '/api/datasets/project/shop', {
      headers: { ...bearer, 'Content-Type': type },
      body: new Uint8Array(await encoded.arrayBuffer()),
    });
    expect([uploaded.status, uploaded.json.rows]).toEqual([201, 1]);

    const stored = await rest(api, 'PUT', '/api/evals/shop.faq', {
      headers: json,
      body: JSON.stringify(evalNamed('faq')),
    });
    expect([stored.status, stored.headers.location]).toEqual([201, '/prod/api/evals/shop.faq']);

    const body = '{"evals":["faq"],"ref":"refs/heads/ä"}';
    const signature = signed(body, { secret: made.json.webhook_secret });
    const started = await rest(api, 'POST', '/api/runs/webhook/shop', { headers: signature, body });
    expect([started.status, started.json.runs.length]).toEqual([202, 1]);
    expect(started.headers.location).toBe(`/prod${started.json.status_url}`);

    const gate = await rest(api, 'GET', started.json.status_url, {
      headers: { 'X-Webhook-Secret': made.json.webhook_secret },
    });
    expect([gate.status, gate.json.gate]).toEqual([200, 'pending']);
  });

  it('a signature over other bytes starts nothing', async () => {
    const { api } = await seeded();
    const { status } = await rest(api, 'POST', '/api/runs/webhook/shop', { headers: signed('{}'), body: '{ }' });
    expect(status).toBe(401);
  });

  it('two tokens in one request are none', async () => {
    const { api } = await seeded();
    const headers = { Authorization: [`Bearer ${TOKEN}`, 'Bearer other'] };
    expect((await rest(api, 'GET', '/api/projects', { headers })).status).toBe(401);
  });

  it('a stage with IAM takes who the gateway names, and no token', async () => {
    const api = new TestApi({ auth: 'iam' });
    const userArn = 'arn:aws:iam::111122223333:user/ci';
    expect((await rest(api, 'GET', '/api/projects', { userArn })).status).toBe(200);
    expect((await rest(api, 'GET', '/api/projects', { headers: bearer })).status).toBe(401);
  });

  it('a path that is none is told so', async () => {
    const { api } = await seeded();
    const event = { ...restEvent('GET', '/api/projects', { headers: bearer }), resource: '/api/nothing' };
    const { status, json } = await api.send(event);
    expect([status, json.code]).toEqual([404, 'no-such-route']);
  });
});
