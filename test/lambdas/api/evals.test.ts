import { describe, expect, it } from 'vitest';
import { evalNamed, TestApi } from './api.ts';

async function seeded(evals: readonly string[] = ['faq']): Promise<TestApi> {
  const api = new TestApi();
  await api.seed(evals);
  return api;
}

describe('evals', () => {
  it('are known by project and name', async () => {
    const api = await seeded([]);
    const { status, json, headers } = await api.manage('POST', '/api/evals/project/shop', evalNamed('faq'));
    expect([status, headers.location]).toEqual([201, '/api/evals/shop.faq']);
    expect(json).toMatchObject({ id: 'shop.faq', version: 1, config: { name: 'faq', concurrency: 4 } });
    expect(json.config_hash).toMatch(/^[0-9a-f]{64}$/);
    expect((await api.manage('GET', '/api/evals/shop.faq')).json).toEqual(json);
  });

  it('are not created twice', async () => {
    const api = await seeded();
    const { status, json } = await api.manage('POST', '/api/evals/project/shop', evalNamed('faq'));
    expect([status, json.code]).toEqual([409, 'eval-exists']);
  });

  it('get a new version with each PUT, and keep the old ones', async () => {
    const api = await seeded();
    const changed = await api.manage('PUT', '/api/evals/shop.faq', evalNamed('faq', { concurrency: 9 }));
    expect([changed.status, changed.json.version]).toEqual([200, 2]);
    expect((await api.manage('GET', '/api/evals/shop.faq')).json.config.concurrency).toBe(9);
    expect(
      (await api.manage('GET', '/api/evals/shop.faq', undefined, { query: 'version=1' })).json.config.concurrency,
    ).toBe(4);
    expect((await api.manage('GET', '/api/evals/shop.faq', undefined, { query: 'version=3' })).status).toBe(404);
  });

  it('can be put where there was none, named by the URL alone', async () => {
    const api = await seeded([]);
    const { name: _, ...unnamed } = evalNamed('x');
    const { status, json } = await api.manage('PUT', '/api/evals/shop.new', unnamed);
    expect([status, json.id, json.version]).toEqual([201, 'shop.new', 1]);
  });

  it('may name their dataset as the API does', async () => {
    const api = await seeded([]);
    const { json } = await api.manage('POST', '/api/evals/project/shop', evalNamed('faq', { dataset: 'shop.faq' }));
    expect(json.config.dataset).toBe('faq');
  });

  it('win one after the other when two are put at once', async () => {
    const api = await seeded();
    const puts = [5, 6, 7].map((concurrency) =>
      api.manage('PUT', '/api/evals/shop.faq', evalNamed('faq', { concurrency })),
    );
    const versions = (await Promise.all(puts)).map(({ json }) => json.version);
    expect(versions.sort()).toEqual([2, 3, 4]);
  });

  it('are listed by their newest version', async () => {
    const api = await seeded(['faq', 'billing']);
    const { json } = await api.manage('GET', '/api/evals/project/shop');
    expect(json.items).toMatchObject([
      { id: 'shop.billing', active: true },
      { id: 'shop.faq', dataset: 'faq' },
    ]);
  });

  it('are gone when deleted', async () => {
    const api = await seeded();
    expect((await api.manage('DELETE', '/api/evals/shop.faq')).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await api.manage(method, '/api/evals/shop.faq')).status).toBe(404);
  });

  it.each([
    { name: 'a mistyped key', changes: { concurency: 4 }, field: 'concurency', fix: 'did you mean "concurrency"?' },
    { name: 'an unknown dataset', changes: { dataset: 'nothing' }, field: 'dataset' },
    { name: 'an unknown dataset version', changes: { dataset: 'faq@abc' }, field: 'dataset' },
    { name: 'a dataset of another project', changes: { dataset: 'bank.faq' }, field: 'dataset' },
    { name: 'a path for a dataset', changes: { dataset: '../faq' }, field: 'dataset' },
    {
      name: 'a threshold of another type',
      changes: { thresholds: { faithfulness: 1 } },
      field: 'thresholds.faithfulness',
    },
    { name: 'no target', changes: { target: undefined }, field: 'targets' },
    { name: 'settings that need another', changes: { decide_by: 'interval' }, field: 'margin' },
    { name: 'another name than the URL', changes: { name: 'other' }, field: 'name' },
  ])('are refused with $name', async ({ changes, field, fix }) => {
    const api = await seeded();
    const { status, json } = await api.manage('PUT', '/api/evals/shop.faq', evalNamed('faq', changes));
    expect([status, json.code]).toEqual([422, 'invalid-config']);
    const fault = json.faults.find((found: { field: string }) => found.field === field);
    expect(fault).toBeDefined();
    if (fix !== undefined) expect(fault.fix).toBe(fix);
    expect((await api.manage('GET', '/api/evals/shop.faq')).json.version).toBe(1);
  });

  it.each([undefined, [], 'x', 7, null])('are refused as the body %j', async (body) => {
    const api = await seeded();
    expect((await api.manage('PUT', '/api/evals/shop.faq', body)).status).toBe(422);
  });

  it('are refused as text that is no JSON, without repeating it', async () => {
    const api = await seeded();
    const answer = await api.manage('PUT', '/api/evals/shop.faq', undefined, { body: '{"token": hunter2}' });
    expect([answer.status, answer.json.code]).toEqual([400, 'not-json']);
    expect(answer.text).not.toContain('hunter2');
  });

  it.each([
    'faq',
    'shop.',
    '.faq',
    'shop.faq.x',
    'shop..faq',
    '..',
    '.',
    'SHOP.faq',
    'shop/faq',
    '..%2f..%2fsecrets',
    `shop.${'a'.repeat(10_000)}`,
    'shop.f\u0000q',
    '日本.語',
  ])('know no id %j', async (id) => {
    const api = await seeded();
    for (const suffix of ['', '/runs', '/trend', '/baseline']) {
      const method = { '': 'GET', '/runs': 'POST', '/trend': 'GET', '/baseline': 'PUT' }[suffix] ?? '';
      const headers = { authorization: 'Bearer first-token' };
      const answer = await api.send({
        routeKey: `${method} /api/evals/{id}${suffix}`,
        headers,
        pathParameters: { id },
      });
      expect([suffix, answer.status]).toEqual([suffix, 404]);
    }
  });

  it('tell their versions, newest first', async () => {
    const api = await seeded();
    await api.manage('PUT', '/api/evals/shop.faq', evalNamed('faq', { concurrency: 9 }));
    await api.manage('PUT', '/api/evals/shop.faq', evalNamed('faq', { active: false }));
    const read = async (query: string) =>
      (await api.manage('GET', '/api/evals/shop.faq/versions', undefined, { query })).json.items;
    const all = await read('');
    expect(all.map(({ version, active }: { version: number; active: boolean }) => [version, active])).toEqual([
      [3, false],
      [2, true],
      [1, true],
    ]);
    expect(await read('last=2')).toHaveLength(2);
    expect((await api.manage('GET', '/api/evals/shop.none/versions')).status).toBe(404);
  });

  it('are switched on, off and into quarantine by a version that changes nothing else', async () => {
    const api = await seeded();
    const put = (state: object) => api.manage('PUT', '/api/evals/shop.faq/state', state);
    const { json } = await put({ active: false, quarantined: true });
    expect(json).toMatchObject({ version: 2, config: { active: false, quarantined: true, scorers: ['contains'] } });
    expect((await put({ active: false })).json.version).toBe(2);
    expect((await put({ active: true })).json).toMatchObject({ version: 3, config: { quarantined: true } });
    for (const state of [{}, { active: 'yes' }, { activ: true }]) expect((await put(state)).status).toBe(400);
  });
});

describe('runs of an eval', () => {
  it('start by hand, active or not', async () => {
    const api = await seeded([]);
    await api.manage('POST', '/api/evals/project/shop', evalNamed('asleep', { active: false }));
    const { status, json } = await api.manage('POST', '/api/evals/shop.asleep/runs', {
      ref: 'main',
      triggered_by: 'me',
    });
    expect(status).toBe(202);
    expect(json.runs).toMatchObject([{ eval: 'asleep', status: 'queued' }]);
    expect(await api.registry.getRun(json.runs[0].run_id)).toMatchObject({ ref: 'main', triggered_by: 'me' });
  });

  it('start once for one key, apart from the same key of a webhook or of another eval', async () => {
    const api = await seeded(['faq', 'billing']);
    const headers = { 'idempotency-key': 'k' };
    const start = (name: string) => api.manage('POST', `/api/evals/shop.${name}/runs`, undefined, { headers });
    const [first, again, other] = [await start('faq'), await start('faq'), await start('billing')];
    const hook = await api.call('POST', '/api/runs/webhook/shop', {
      headers: { ...headers, 'x-webhook-secret': 'demo-webhook-secret-A1' },
    });
    expect(again.json.gate_run_id).toBe(first.json.gate_run_id);
    expect(new Set([first, other, hook].map(({ json }) => json.gate_run_id)).size).toBe(3);
  });

  it('make its trend, newest first', async () => {
    const api = await seeded();
    for (const score of [0.7, 0.9]) {
      const { runId } = await api.startRun();
      await api.registry.updateRun(runId, ['queued'], { status: 'passed', score, pass_rate: 1 });
      await api.clock.run(api.clock.sleep(1_000));
    }
    const { json } = await api.manage('GET', '/api/evals/shop.faq/trend', undefined, { query: 'last=12' });
    expect(json).toMatchObject({ eval: 'shop.faq', items: [{ score: 0.9, gate: 'pass' }, { score: 0.7 }] });
    const one = await api.manage('GET', '/api/evals/shop.faq/trend', undefined, { query: 'last=1' });
    expect(one.json.items).toHaveLength(1);
  });

  it.each(['0', '-1', '101', '1e2', 'x', '1.5', ' 1', '99999999999'])('make no trend of the last %j', async (last) => {
    const api = await seeded();
    const { status, json } = await api.manage('GET', '/api/evals/shop.faq/trend', undefined, { query: `last=${last}` });
    expect([status, json.code]).toEqual([400, 'invalid-query']);
  });
});

describe('an eval whose requests are refused', () => {
  it.each([
    'https://user:hunter2@bot.example.com/',
    'file:///etc/passwd',
    'http://[fd00::1]/',
    'http://169.254.169.254/',
    'http://10.0.0.1/',
    'http://localhost:8080/',
  ])('is not stored: %s', async (url) => {
    const api = await seeded([]);
    for (const [method, path] of [
      ['POST', '/api/evals/project/shop'],
      ['PUT', '/api/evals/shop.faq'],
    ] as const) {
      const answer = await api.manage(method, path, evalNamed('faq', { target: { url } }));
      expect(answer.status).toBe(422);
      expect(answer.text).toContain('targets.0.url');
      expect(answer.text).not.toContain('hunter2');
    }
    expect((await api.manage('GET', '/api/evals/shop.faq')).status).toBe(404);
  });

  it('is stored where the project allows the address', async () => {
    const api = await seeded([]);
    await api.manage('PUT', '/api/projects/shop', { allowed_cidrs: ['10.0.0.0/8'] });
    const answer = await api.manage(
      'POST',
      '/api/evals/project/shop',
      evalNamed('faq', { target: { url: 'http://10.0.0.1/' } }),
    );
    expect([answer.status, answer.json.config.allowed_cidrs]).toEqual([201, []]);
  });
});
