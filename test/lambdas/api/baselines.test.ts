import { describe, expect, it } from 'vitest';
import { TestApi, TOKEN } from './api.ts';

async function withRuns(...statuses: ('passed' | 'failed' | 'error')[]): Promise<{ api: TestApi; runs: string[] }> {
  const api = new TestApi();
  await api.seed();
  const runs: string[] = [];
  for (const status of statuses) {
    const { runId } = await api.startRun();
    await api.finishRun(runId, [{}], status);
    await api.clock.run(api.clock.sleep(1_000));
    runs.push(runId);
  }
  return { api, runs };
}
const promote = (api: TestApi, run_id: string | undefined, more: object = {}) =>
  api.manage('PUT', '/api/evals/shop.faq/baseline', { run_id, ...more });

describe('promotion of a baseline', () => {
  it('records who, when, why and what held before', async () => {
    const { api, runs } = await withRuns('passed', 'passed');
    const first = await promote(api, runs[0], { note: 'release 1' });
    expect([first.status, first.json]).toEqual([
      200,
      {
        project: 'shop',
        eval: 'faq',
        run_id: runs[0],
        status: 'passed',
        score: 1,
        pass_rate: 1,
        forced: false,
        note: 'release 1',
        promoted_by: 'first token',
        promoted_at: '2026-11-30T10:00:02.000Z',
        previous_run_id: null,
      },
    ]);
    await api.clock.run(api.clock.sleep(1_000));
    const { json: made } = await api.manage('POST', '/api/tokens', { name: 'release bot', projects: ['shop'] });
    const headers = { authorization: `Bearer ${made.token}` };
    const second = await api.manage('PUT', '/api/evals/shop.faq/baseline', { run_id: runs[1] }, { headers });
    expect(second.json).toMatchObject({ promoted_by: 'token release bot', previous_run_id: runs[0], note: null });
    const { json } = await api.manage('GET', '/api/evals/shop.faq/baseline');
    expect(json).toEqual({ current: second.json, items: [second.json, first.json] });
  });

  it('of the run that holds adds nothing', async () => {
    const { api, runs } = await withRuns('passed');
    const first = await promote(api, runs[0]);
    expect((await promote(api, runs[0], { note: 'again' })).json).toEqual(first.json);
    expect((await api.manage('GET', '/api/evals/shop.faq/baseline')).json.items).toHaveLength(1);
  });

  it('takes a run that did not pass only by force, and says so', async () => {
    const { api, runs } = await withRuns('failed');
    const refused = await promote(api, runs[0]);
    expect([refused.status, refused.json.code]).toEqual([409, 'run-not-passed']);
    expect((await promote(api, runs[0], { force: true })).json).toMatchObject({ forced: true, status: 'failed' });
  });

  it('takes a quarantined run only by force', async () => {
    const { api, runs } = await withRuns('passed');
    await api.registry.updateRun(runs[0] ?? '', ['passed'], { quarantined: true });
    expect((await promote(api, runs[0])).json.code).toBe('run-not-passed');
    expect((await promote(api, runs[0], { force: true })).json.forced).toBe(true);
  });

  it('refuses what cannot be compared with, force or not', async () => {
    const { api } = await withRuns();
    const { runId } = await api.startRun();
    expect((await promote(api, runId, { force: true })).json.code).toBe('run-not-finished');
    await api.registry.updateRun(runId, ['queued'], { status: 'error' });
    expect((await promote(api, runId, { force: true })).json.code).toBe('run-without-results');
    expect((await promote(api, 'r-01JD0000000000000000000009')).status).toBe(404);
    expect((await promote(api, '../x')).status).toBe(400);
    expect((await promote(api, undefined)).status).toBe(400);
  });

  it('knows no run of another eval', async () => {
    const { api, runs } = await withRuns('passed');
    await api.manage('PUT', '/api/evals/shop.other', { ...(await faq(api)), name: 'other' });
    const { status, json } = await api.manage('PUT', '/api/evals/shop.other/baseline', { run_id: runs[0] });
    expect([status, json.code]).toEqual([404, 'not-found']);
  });
});

const faq = async (api: TestApi) => (await api.manage('GET', '/api/evals/shop.faq')).json.config;

describe('two runs', () => {
  it('are compared row by row, second − first', async () => {
    const { api } = await withRuns();
    const [first, second] = [(await api.startRun()).runId, (await api.startRun()).runId];
    const failed = { passed: false, score: 0.2 };
    await api.finishRun(first, [{}, {}, failed, failed, { row_id: 'gone' }, { row_id: 'x', content: 'a' }, {}]);
    await api.finishRun(
      second,
      [{}, failed, {}, failed, { row_id: 'new' }, { row_id: 'x', content: 'b' }, { score: null, passed: false }],
      'failed',
    );
    const { status, json } = await api.manage('GET', `/api/runs/${first}/compare/${second}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      first: { run_id: first, status: 'passed' },
      second: { run_id: second, status: 'failed' },
      differences: [],
      same: 5,
      compared: 4,
      both_pass: 1,
      both_fail: 1,
      regressed: [{ row_id: 'row-1', from: 1, to: 0.2 }],
      fixed: [{ row_id: 'row-2', from: 0.2, to: 1 }],
      unknown: ['row-6'],
      changed: ['x'],
      only_first: ['gone'],
      only_second: ['new'],
      pass_rate: { delta: 0 },
      score: { delta: 0 },
      // One regressed of two flips: P(1 or 2) − P(1)/2 = 0.75 − 0.25.
      p_value: expect.closeTo(0.5, 9),
      cut: [],
    });
    const back = await api.manage('GET', `/api/runs/${second}/compare/${first}`);
    expect(back.json.regressed).toEqual([{ row_id: 'row-2', from: 1, to: 0.2 }]);
  });

  it('with many rows gone are told in part, which is said', async () => {
    const { api } = await withRuns();
    const [first, second] = [(await api.startRun()).runId, (await api.startRun()).runId];
    await api.finishRun(
      first,
      Array.from({ length: 1_500 }, () => ({})),
    );
    await api.finishRun(second, [{}]);
    const { json } = await api.manage('GET', `/api/runs/${first}/compare/${second}`);
    expect(json.only_first).toHaveLength(1_000);
    expect(json.cut).toEqual(['only_first: 1000 of 1499']);
  });

  it('are both over and known', async () => {
    const { api, runs } = await withRuns('passed');
    const { runId } = await api.startRun();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const get = (other: string) => api.call('GET', `/api/runs/${runs[0]}/compare/${other}`, { headers });
    expect((await get(runId)).json.code).toBe('run-not-finished');
    expect((await get('r-01JD0000000000000000000009')).status).toBe(404);
    expect((await get('x')).status).toBe(404);
  });
});
