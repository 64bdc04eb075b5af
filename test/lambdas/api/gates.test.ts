import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../src/core/schemas/registry.ts';
import { SECRET, signed, TestApi } from './api.ts';

const withSecret = { 'x-webhook-secret': SECRET };

async function started(evals: readonly string[]) {
  const api = new TestApi();
  await api.seed(evals);
  const { json } = await api.call('POST', '/api/runs/webhook/shop', { headers: withSecret });
  const runIds: string[] = json.runs.map((run: { run_id: string }) => run.run_id);
  const poll = (headers: Record<string, string> = withSecret) => api.call('GET', json.status_url, { headers });
  const end = async (at: number, status: RunRecord['status'], message = '') => {
    await api.registry.updateRun(runIds[at] ?? '', ['queued', 'running'], { status, message, score: 0.5 });
  };
  return { api, json, poll, end, runIds };
}

describe('gate of a webhook call', () => {
  it('is pending right after the call', async () => {
    const { poll } = await started(['faq']);
    const { status, json } = await poll();
    expect(status).toBe(200);
    expect(json).toMatchObject({
      gate: 'pending',
      reasons: [],
      decision: null,
      progress: { done: 0, total: 0 },
      report_url: null,
    });
  });

  it.each<{ statuses: RunRecord['status'][]; gate: string }>([
    { statuses: ['passed'], gate: 'pass' },
    { statuses: ['failed'], gate: 'fail' },
    { statuses: ['error'], gate: 'error' },
    { statuses: ['cancelled'], gate: 'error' },
    { statuses: ['passed', 'running'], gate: 'pending' },
    { statuses: ['failed', 'queued'], gate: 'pending' },
    { statuses: ['passed', 'error'], gate: 'error' },
    { statuses: ['passed', 'failed'], gate: 'fail' },
    { statuses: ['passed', 'passed'], gate: 'pass' },
  ])('of runs $statuses is $gate', async ({ statuses, gate }) => {
    const { poll, end } = await started(statuses.map((_, at) => `eval-${at}`));
    for (const [at, status] of statuses.entries()) if (status !== 'queued') await end(at, status);
    const { status, json } = await poll();
    expect([status, json.gate]).toEqual([200, gate]);
  });

  it('does not move when the eval is changed later', async () => {
    const { api, poll, end } = await started(['faq']);
    await end(0, 'passed');
    const changed = {
      type: 'qa',
      dataset: 'faq',
      target: { url: 'https://x.example' },
      scorers: ['contains'],
      thresholds: { min_score: 1 },
    };
    await api.manage('PUT', '/api/evals/shop.faq', changed);
    expect((await poll()).json.gate).toBe('pass');
  });

  it('is told to a signed request too', async () => {
    const { poll } = await started(['faq']);
    expect((await poll(signed(''))).status).toBe(200);
  });

  it('is told to nobody without the secret, nor is the word', async () => {
    const { poll } = await started(['faq']);
    const { status, text } = await poll({});
    expect(status).toBe(401);
    expect(text).not.toContain('gate');
  });

  it('answers unknown, foreign and wrongly asked ids alike', async () => {
    const { api, json, poll } = await started(['faq']);
    await api.manage('POST', '/api/projects', { id: 'bank' });
    await api.systemSecrets.putWebhook('bank', { current: 'secret-of-the-bank' });
    const unknown = await api.call('GET', `/api/gates/g-${'0'.repeat(26)}`, { headers: withSecret });
    const foreign = await poll({ 'x-webhook-secret': 'secret-of-the-bank' });
    const wrong = await poll({ 'x-webhook-secret': 'nobody' });
    expect(unknown.status).toBe(404);
    expect(unknown.json.gate).toBeUndefined();
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    expect([wrong.status, wrong.text]).toEqual([404, unknown.text]);
    expect(unknown.text).not.toContain(json.gate_run_id);
  });

  it.each([
    '../../secrets',
    '..%2f..%2fsecrets',
    '.',
    '..',
    'g-',
    'g-🚀',
    '',
    'r-01J00000000000000000000000',
    `g-${'A'.repeat(10_000)}`,
    '\u0000',
  ])('knows no id %j', async (id) => {
    const { api } = await started(['faq']);
    const answer = await api.send({
      routeKey: 'GET /api/gates/{gateRunId}',
      pathParameters: { gateRunId: id },
      headers: withSecret,
    });
    expect(answer.status).toBe(404);
    expect(answer.json.code).toBe('not-found');
  });
});
