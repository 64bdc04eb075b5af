import { describe, expect, it } from 'vitest';
import { aResult } from '../../contracts/samples.ts';
import { TestApi, TOKEN } from './api.ts';

async function withRun() {
  const api = new TestApi();
  await api.seed();
  const { runId } = await api.startRun();
  const run = await api.registry.getRun(runId);
  return { api, runId, ref: { runId, project: 'shop', startedAt: run?.started_at ?? '' } };
}

describe('GET /api/tokens/self', () => {
  it('tells who one is and what one may', async () => {
    const api = new TestApi();
    await api.seed();
    expect((await api.manage('GET', '/api/tokens/self')).json).toEqual({
      name: 'first token',
      projects: null,
      access: 'write',
    });
    const made = await api.manage('POST', '/api/tokens', { name: 'looker', projects: ['shop'], access: 'read' });
    const headers = { authorization: `Bearer ${made.json.token}` };
    const { text, json } = await api.call('GET', '/api/tokens/self', { headers });
    expect(json).toEqual({ name: 'token looker', projects: ['shop'], access: 'read' });
    expect(text).not.toContain(TOKEN);
  });
});

describe('GET /api/evals/project/{project}?runs=', () => {
  it('brings the last runs of each eval along, newest first, and none unasked', async () => {
    const api = new TestApi();
    await api.seed(['faq', 'other']);
    const started: string[] = [];
    for (let run = 0; run < 3; run += 1) {
      const { json } = await api.manage('POST', '/api/evals/shop.faq/runs', {});
      started.push(json.runs[0].run_id);
      await api.clock.run(api.clock.sleep(60_000));
    }
    const runsOf = async (query: string) =>
      (await api.manage('GET', '/api/evals/project/shop', undefined, { query })).json.items.map(
        ({ name, runs }: { name: string; runs?: { run_id: string }[] }) => [name, runs?.map(({ run_id }) => run_id)],
      );
    expect(await runsOf('')).toEqual([
      ['faq', undefined],
      ['other', undefined],
    ]);
    expect(await runsOf('runs=2')).toEqual([
      ['faq', [started[2], started[1]]],
      ['other', []],
    ]);
  });

  it.each(['0', '31', '-1', '1.5', 'all'])('refuses runs=%s', async (runs) => {
    const api = new TestApi();
    await api.seed();
    const { status, json } = await api.manage('GET', '/api/evals/project/shop', undefined, { query: `runs=${runs}` });
    expect([status, json.code]).toEqual([400, 'invalid-query']);
  });
});

describe('GET /api/evals/{id}/trend', () => {
  it('leads to older runs by its cursor', async () => {
    const api = new TestApi();
    await api.seed();
    const started: string[] = [];
    for (let run = 0; run < 3; run += 1) {
      started.unshift((await api.manage('POST', '/api/evals/shop.faq/runs', {})).json.runs[0].run_id);
      await api.clock.run(api.clock.sleep(60_000));
    }
    const page = async (query: string) =>
      (await api.manage('GET', '/api/evals/shop.faq/trend', undefined, { query })).json;
    const first = await page('last=2');
    const second = await page(`last=2&cursor=${first.cursor}`);
    expect([...first.items, ...second.items].map(({ run_id }) => run_id)).toEqual(started);
    expect(second.cursor).toBeNull();
    expect((await page('cursor=x')).code).toBe('invalid-cursor');
  });
});

describe('GET /api/runs/{id}/row', () => {
  const read = (api: TestApi, runId: string, query: Record<string, string>) =>
    api.manage('GET', `/api/runs/${runId}/row`, undefined, { query: new URLSearchParams(query).toString() });

  it('gives every result of the row whole, with its trajectory, found by its id or its place', async () => {
    const { api, runId, ref } = await withRun();
    const long = 'x'.repeat(50_000);
    const trajectory = { steps: [{ type: 'answer' as const, content: 'done' }] };
    const results = [
      aResult(0, { row_id: 'a' }),
      aResult(1, { row_id: 'b/ä?&', output: long, trajectory }),
      aResult(1, { row_id: 'b/ä?&', trial: 1, output: 'short' }),
      aResult(2, { row_id: 'c' }),
    ];
    const part = await api.parts.write(ref, 0, results);
    await api.rowIndex.put(runId, part, results);
    const queries: Record<string, string>[] = [{}, { index: '1' }, { index: '0' }];
    for (const query of queries.map((place) => ({ row_id: 'b/ä?&', ...place }))) {
      const { status, json } = await read(api, runId, query);
      expect(status).toBe(200);
      expect(json.items.map((item: { trial: number; truncated: boolean }) => [item.trial, item.truncated])).toEqual([
        [0, false],
        [1, false],
      ]);
      expect(json.items[0]).toMatchObject({ output: long, trajectory });
    }
  });

  it('cuts what is more than an answer may hold, and says so', async () => {
    const { api, runId, ref } = await withRun();
    const results = Array.from({ length: 3 }, (_, trial) =>
      aResult(0, { row_id: 'a', trial, output: 'x'.repeat(1_800_000) }),
    );
    await api.rowIndex.put(runId, await api.parts.write(ref, 0, results), results);
    const { text, json } = await read(api, runId, { row_id: 'a' });
    expect(json.items.map(({ truncated }: { truncated: boolean }) => truncated)).toEqual([false, false, true]);
    expect(Buffer.byteLength(text)).toBeLessThan(5_000_000);
  });

  it('gives what the index holds when the part is gone', async () => {
    const { api, runId } = await withRun();
    await api.rowIndex.put(runId, 'part-00000000.jsonl.gz', [aResult(0, { row_id: 'a' })]);
    const { json } = await read(api, runId, { row_id: 'a', index: '0' });
    expect(json.items).toMatchObject([{ row_id: 'a', truncated: true, trajectory: null }]);
  });

  it.each([
    { query: {}, status: 400 },
    { query: { row_id: 'a', index: '-1' }, status: 400 },
    { query: { row_id: 'a', index: '1e3' }, status: 400 },
    { query: { row_id: 'nobody' }, status: 404 },
    { query: { row_id: 'a', index: '7' }, status: 404 },
  ])('answers $status to $query', async ({ query, status }) => {
    const { api, runId, ref } = await withRun();
    const results = [aResult(0, { row_id: 'a' }), aResult(1, { row_id: 'b' })];
    await api.rowIndex.put(runId, await api.parts.write(ref, 0, results), results);
    expect((await read(api, runId, query as Record<string, string>)).status).toBe(status);
  });

  it('says so when it would have to look too far for a row of which only the id is known', async () => {
    const { api, runId, ref } = await withRun();
    const results = Array.from({ length: 20_001 }, (_, row) => aResult(row, { row_id: `row-${row}` }));
    await api.rowIndex.put(runId, await api.parts.write(ref, 0, results.slice(-1)), results);
    expect((await read(api, runId, { row_id: 'row-20000' })).json.code).toBe('too-large');
    expect((await read(api, runId, { row_id: 'row-20000', index: '20000' })).status).toBe(200);
  });
});

describe('GET /api/datasets/runs/{id}/results?short=true', () => {
  it('cuts long texts and reads no part', async () => {
    const { api, runId } = await withRun();
    await api.rowIndex.put(runId, 'part-00000000.jsonl.gz', [aResult(0, { output: 'x'.repeat(50_000) }), aResult(1)]);
    api.parts.read = () => Promise.reject(new Error('a part was read'));
    const { status, json } = await api.manage('GET', `/api/datasets/runs/${runId}/results`, undefined, {
      query: 'short=true',
    });
    expect(status).toBe(200);
    expect(json.items.map(({ truncated }: { truncated: boolean }) => truncated)).toEqual([true, false]);
    expect(json.items[0].output.length).toBeLessThan(1_000);
  });
});
