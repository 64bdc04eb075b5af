import { describe, expect, it } from 'vitest';
import { SECRET, TestApi } from './api.ts';

const headers = { 'x-webhook-secret': SECRET };
const trigger = (api: TestApi, key?: string) =>
  api.call('POST', '/api/runs/webhook/shop', {
    headers: { ...headers, ...(key === undefined ? {} : { 'idempotency-key': key }) },
  });

async function limited(limit: number | null = 1): Promise<TestApi> {
  const api = new TestApi();
  await api.seed();
  await api.manage('PUT', '/api/projects/shop', { max_concurrent_runs: limit });
  return api;
}

const runOf = (answer: { json: { runs: { run_id: string }[] } }) => answer.json.runs[0]?.run_id ?? '';

describe('max_concurrent_runs', () => {
  it('is set with a project, changed, shown and taken away', async () => {
    const api = new TestApi();
    const made = await api.manage('POST', '/api/projects', { id: 'shop', max_concurrent_runs: 2 });
    expect(made.json).toMatchObject({ max_concurrent_runs: 2 });
    await api.manage('PUT', '/api/projects/shop', { name: 'Shop' });
    expect((await api.manage('GET', '/api/projects/shop')).json).toMatchObject({ max_concurrent_runs: 2 });
    const without = await api.manage('PUT', '/api/projects/shop', { max_concurrent_runs: null });
    expect(without.json).not.toHaveProperty('max_concurrent_runs');
    const none = await api.manage('POST', '/api/projects', { id: 'bank', max_concurrent_runs: null });
    expect(none.status).toBe(201);
    expect(none.json).not.toHaveProperty('max_concurrent_runs');
  });

  it.each([0, -1, 1.5, 1_001, '2', {}])('is no %j', async (value) => {
    const { status, json } = await (await limited()).manage('PUT', '/api/projects/shop', {
      max_concurrent_runs: value,
    });
    expect([status, json.code]).toEqual([400, 'invalid-body']);
    expect(json.faults[0].field).toBe('max_concurrent_runs');
  });

  it('lets the second run wait, in the gate, in the run and in the answer of the webhook', async () => {
    const api = await limited();
    await trigger(api);
    const second = await trigger(api);
    expect([second.status, second.json.runs[0].status]).toEqual([202, 'queued']);
    expect([...api.workflow.executions.keys()]).toHaveLength(1);
    const text = 'waiting for a free slot (1 of 1 runs active)';
    const gate = await api.call('GET', second.json.status_url, { headers });
    expect(gate.json).toMatchObject({ gate: 'pending', reasons: [`faq: ${text}`], runs: [{ message: text }] });
    expect((await api.manage('GET', `/api/runs/${runOf(second)}`)).json).toMatchObject({
      gate: 'pending',
      status: 'queued',
      message: text,
    });
  });

  it('holds for runs that are started one by one too', async () => {
    const api = await limited();
    for (let call = 0; call < 2; call += 1) {
      expect((await api.manage('POST', '/api/evals/shop.faq/runs')).status).toBe(202);
    }
    expect([...api.workflow.executions.keys()]).toHaveLength(1);
  });

  it('that is raised, or taken away, starts what waits', async () => {
    const api = await limited();
    for (let call = 0; call < 4; call += 1) await trigger(api);
    await api.manage('PUT', '/api/projects/shop', { max_concurrent_runs: 2 });
    expect([...api.workflow.executions.keys()]).toHaveLength(2);
    await api.manage('PUT', '/api/projects/shop', { max_concurrent_runs: null });
    expect([...api.workflow.executions.keys()]).toHaveLength(4);
  });

  it('answers 429 while as many wait as may, and takes the same delivery later', async () => {
    const api = await limited();
    for (let call = 0; call < 4; call += 1) expect((await trigger(api)).status).toBe(202); // one runs, three wait
    const refused = await trigger(api, 'push-5');
    expect([refused.status, refused.json.code]).toEqual([429, 'queue-full']);
    expect(refused.headers['retry-after']).toBe('60');
    expect(refused.json.detail).toContain('3 runs of project "shop" wait already');
    expect((await api.manage('GET', '/api/evals/shop.faq/trend')).json.items).toHaveLength(4);
    await api.manage('PUT', '/api/projects/shop', { max_concurrent_runs: 4 });
    const taken = await trigger(api, 'push-5');
    expect(taken.status).toBe(202);
    expect((await trigger(api, 'push-5')).json.status_url).toBe(taken.json.status_url);
  });
});

describe('a run that waits', () => {
  it('is cancelled at once: its gate is final, its end is told, the queue goes on', async () => {
    const api = await limited();
    const [, second, third] = [await trigger(api), await trigger(api), await trigger(api)];
    const cancelled = await api.manage('DELETE', `/api/runs/${runOf(second)}`);
    expect([cancelled.status, cancelled.json.status]).toEqual([202, 'cancelled']);
    const gate = await api.call('GET', second.json.status_url, { headers });
    expect(gate.json).toMatchObject({ gate: 'error', reasons: ['faq: cancelled before it began'] });
    expect(api.events.told).toMatchObject([{ run_id: runOf(second), status: 'cancelled', text: expect.any(String) }]);
    expect([...api.parts.objects.keys()]).toEqual([expect.stringContaining(`${runOf(second)}.jsonl.gz`)]);
    expect((await api.slots.read('shop')).waiting).toEqual([runOf(third)]);
    expect((await api.manage('DELETE', `/api/runs/${runOf(second)}`)).json.status).toBe('cancelled');
    expect(api.events.told).toHaveLength(1);
  });
});
