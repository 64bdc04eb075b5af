import { describe, expect, it } from 'vitest';
import { createHandler as createMendSchedules } from '../../../lambdas/mend-schedules/handler.ts';
import { MemorySchedules } from '../../../src/adapters/memory/memory-schedules.ts';
import { ScheduleError } from '../../../src/core/errors.ts';
import { evalNamed, logged, TestApi } from './api.ts';

// The clock of these tests stands at 2026-11-30T10:00Z.
const NEXT = '2026-12-01T01:00:00.000Z';
const nightly = { cron: '0 2 * * *', timezone: 'Europe/Berlin' };

async function seeded(changes: ConstructorParameters<typeof TestApi>[0] = {}): Promise<TestApi> {
  const api = new TestApi(changes);
  await api.seed([]);
  return api;
}
const create = (api: TestApi, more: Record<string, unknown>) =>
  api.manage('POST', '/api/evals/project/shop', evalNamed('faq', more));

describe('an eval with a schedule', () => {
  it('tells when it starts next: as it is stored, read and listed', async () => {
    const api = await seeded();
    const created = await create(api, { schedule: nightly });
    expect([created.status, created.json.next_run_at]).toEqual([201, NEXT]);
    expect((await api.manage('GET', '/api/evals/shop.faq')).json).toEqual(created.json);
    const { items } = (await api.manage('GET', '/api/evals/project/shop')).json;
    expect(items).toMatchObject([{ name: 'faq', next_run_at: NEXT }]);
    expect(await api.schedules.list()).toMatchObject([{ project: 'shop', eval: 'faq', ...nightly }]);
  });

  it('tells null where it does not start by itself', async () => {
    const api = await seeded();
    expect((await create(api, {})).json.next_run_at).toBeNull();
    const off = await api.manage('PUT', '/api/evals/shop.faq', evalNamed('faq', { schedule: nightly, active: false }));
    expect(off.json.next_run_at).toBeNull();
    const on = await api.manage('PUT', '/api/evals/shop.faq/state', { active: true });
    expect(on.json.next_run_at).toBe(NEXT);
  });

  it('says nothing of an older version, which may not be the one that starts', async () => {
    const api = await seeded();
    await create(api, { schedule: nightly });
    const { json } = await api.manage('GET', '/api/evals/shop.faq', undefined, { query: 'version=1' });
    expect(json).not.toHaveProperty('next_run_at');
  });

  it('is refused with what to write instead', async () => {
    const api = await seeded();
    const { status, json } = await create(api, { schedule: 'cron(0 2 ? * 2-6 *)' });
    expect([status, json.code]).toEqual([422, 'invalid-config']);
    expect(json.faults[0]).toMatchObject({ field: 'schedule', message: expect.stringContaining('"0 2 * * 1-5"') });
    expect(await api.schedules.list()).toEqual([]);
  });

  it('loses it when it is deleted', async () => {
    const api = await seeded();
    await create(api, { schedule: nightly });
    expect((await api.manage('DELETE', '/api/evals/shop.faq')).status).toBe(204);
    expect(await api.schedules.list()).toEqual([]);
    expect((await api.manage('DELETE', '/api/evals/shop.faq')).status).toBe(404);
  });
});

describe('a schedule that cannot be made', () => {
  class Refusing extends MemorySchedules {
    override put(): Promise<void> {
      const detail = 'AccessDeniedException: User: arn:aws:sts::111122223333:assumed-role/api is not authorized';
      return Promise.reject(new ScheduleError(`EventBridge Scheduler: ${detail}`));
    }
  }

  it('is told, with what is stored and nothing of the inside', async () => {
    const api = await seeded({ schedules: new Refusing() });
    const { status, json, headers } = await create(api, { schedule: nightly });
    expect([status, json.code, headers['retry-after']]).toEqual([503, 'schedule-failed', '5']);
    expect(json.detail).toContain('eval "faq" is stored');
    expect(JSON.stringify(json)).not.toContain('arn:');
    expect((await api.manage('GET', '/api/evals/shop.faq')).json.version).toBe(1);
    expect(logged).toHaveLength(1);
  });

  it('is made by the hourly mending', async () => {
    const api = await seeded({ schedules: new Refusing() });
    await create(api, { schedule: nightly });
    const mend = createMendSchedules({ registry: api.registry, schedules: api.schedules });
    expect(await mend({}, {} as never)).toEqual({ scheduled: 1, mended: ['shop.faq'] });
    expect(await api.schedules.list()).toHaveLength(1);
  });
});

it('a token of another project neither sees nor changes a schedule', async () => {
  const api = await seeded();
  await create(api, { schedule: nightly });
  await api.manage('POST', '/api/projects', { id: 'bank' });
  const made = await api.manage('POST', '/api/tokens', { name: 'other', projects: ['bank'], access: 'write' });
  const headers = { authorization: `Bearer ${made.json.token}` };
  const tried = [
    await api.call('GET', '/api/evals/shop.faq', { headers }),
    await api.call('DELETE', '/api/evals/shop.faq', { headers }),
    await api.call('PUT', '/api/evals/shop.faq', { headers, body: JSON.stringify(evalNamed('faq')) }),
  ];
  expect(tried.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(await api.schedules.list()).toHaveLength(1);
});
