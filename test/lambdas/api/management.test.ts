import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../lambdas/api/operations.ts';
import { ROUTES, routeKey } from '../../../lambdas/routes.ts';
import { MemorySystemSecrets } from '../../../src/adapters/memory/memory-system-secrets.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { logged, TestApi, TOKEN } from './api.ts';

const management = ROUTES.filter(({ auth }) => auth === 'management');

describe('route table', () => {
  it('has an operation for each route and no other', () => {
    expect(Object.keys(OPERATIONS).sort()).toEqual(ROUTES.map(({ operation }) => operation).sort());
  });

  it.each(['$default', 'GET /api', 'PATCH /api/projects', '', 'constructor'])('knows no route %j', async (key) => {
    const { status, json } = await new TestApi().send({ routeKey: key });
    expect([status, json.code]).toEqual([404, 'no-such-route']);
  });
});

describe('management calls', () => {
  const wrong: { name: string; headers: Record<string, string> }[] = [
    { name: 'no token', headers: {} },
    { name: 'another token of the same length', headers: { authorization: 'Bearer first-tokem' } },
    { name: 'a shorter token', headers: { authorization: 'Bearer x' } },
    { name: 'another scheme', headers: { authorization: `Basic ${TOKEN}` } },
    { name: 'the token alone', headers: { authorization: TOKEN } },
    { name: 'two tokens', headers: { authorization: `Bearer ${TOKEN},Bearer x` } },
    { name: 'the webhook header', headers: { 'x-webhook-secret': TOKEN } },
  ];
  it.each(wrong)('are refused with $name, whatever they are', async ({ headers }) => {
    const api = new TestApi();
    for (const route of management) {
      const { status, headers: answered } = await api.send({ routeKey: routeKey(route), headers });
      expect([route.path, status]).toEqual([route.path, 401]);
      expect(answered['www-authenticate']).toBe('Bearer');
    }
  });

  it('are refused to all while there is no token', async () => {
    const api = new TestApi({ systemSecrets: new MemorySystemSecrets(null) });
    for (const authorization of ['Bearer null', 'Bearer undefined', 'Bearer  ']) {
      expect((await api.call('GET', '/api/projects', { headers: { authorization } })).status).toBe(401);
    }
  });

  it('take the token however its header and scheme are spelled', async () => {
    const api = new TestApi({ systemSecrets: new MemorySystemSecrets(`${TOKEN}\n`) });
    expect((await api.call('GET', '/api/projects', { headers: { Authorization: `bearer ${TOKEN}` } })).status).toBe(
      200,
    );
  });

  it('look past the cache when a token does not match', async () => {
    const systemSecrets = Object.assign(new MemorySystemSecrets(), {
      apiToken: async ({ fresh = false } = {}) => (fresh ? 'new' : 'old'),
    });
    const api = new TestApi({ systemSecrets });
    expect((await api.call('GET', '/api/projects', { headers: { authorization: 'Bearer new' } })).status).toBe(200);
  });

  it('need the signature that API Gateway checked, on an iam stage', async () => {
    const api = new TestApi({ auth: 'iam' });
    const event = { routeKey: 'GET /api/projects', headers: { authorization: `Bearer ${TOKEN}` } };
    expect((await api.send(event)).status).toBe(401);
    expect((await api.send({ ...event, requestContext: { authorizer: { iam: null } } })).status).toBe(401);
    const signed = { ...event, requestContext: { authorizer: { iam: { accountId: '1' } } } };
    expect((await api.send(signed)).status).toBe(200);
  });
});

describe('failures', () => {
  const failing = (error: unknown) => {
    const api = new TestApi();
    api.registry.listProjects = () => Promise.reject(error);
    return api.manage('GET', '/api/projects');
  };

  it('of a service ask to try again', async () => {
    const { status, json, headers } = await failing(new StorageError('DynamoDB Query of secret-table: down'));
    expect([status, json.code, headers['retry-after']]).toEqual([503, 'unavailable', '5']);
    expect(JSON.stringify(json)).not.toContain('secret-table');
  });

  it.each([new TypeError('x of undefined at /var/task'), 'a text', undefined, null])(
    'nobody foresaw (%s) say nothing of the inside and are logged',
    async (error) => {
      const { status, json, headers } = await failing(error);
      expect(status).toBe(500);
      expect(headers['content-type']).toBe('application/problem+json');
      expect(json).toEqual({
        type: 'urn:assay:problem:internal',
        title: 'Internal Server Error',
        status: 500,
        code: 'internal',
        detail: expect.any(String),
      });
      expect(JSON.stringify(json)).not.toContain('/var/task');
      expect(logged).toHaveLength(1);
    },
  );

  it('never put a secret into the log', async () => {
    const api = new TestApi();
    const secrets = { authorization: 'Bearer hunter2', 'x-webhook-secret': 'hunter2', 'x-assay-signature': 'hunter2' };
    for (const route of ROUTES)
      await api.send({
        routeKey: routeKey(route),
        headers: secrets,
        body: 'hunter2',
        pathParameters: { project: 'shop' },
      });
    expect(logged.length).toBeGreaterThan(0);
    expect(JSON.stringify(logged)).not.toContain('hunter2');
  });
});
