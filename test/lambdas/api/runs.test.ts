import { describe, expect, it } from 'vitest';
import { unscored } from '../../../src/core/schemas/score.ts';
import { aResult, counters } from '../../contracts/samples.ts';
import { finishedRun } from '../../report/finished-run.ts';
import { TestApi } from './api.ts';

async function withRun() {
  const api = new TestApi();
  await api.seed();
  return { api, ...(await api.startRun()) };
}

describe('a run', () => {
  it('under way is its record and its progress', async () => {
    const { api, runId } = await withRun();
    await api.registry.updateRun(runId, ['queued'], { status: 'running', total: 40 });
    await api.registry.putBatchCounters(runId, 0, counters({ done: 8, scored: 7, judge_error: 1 }));
    const { status, json } = await api.manage('GET', `/api/runs/${runId}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      run_id: runId,
      status: 'running',
      gate: 'pending',
      progress: { done: 8, total: 40 },
      counters: { scored: 7, judge_error: 1 },
      report_url: null,
    });
    expect(json).not.toHaveProperty('execution');
  });

  it('that is finished is its summary', async () => {
    const { api, runId } = await withRun();
    const summary = finishedRun();
    await api.registry.updateRun(runId, ['queued'], { status: summary.status });
    await api.files.write(runId, 'summary.json', JSON.stringify({ ...summary, run_id: runId }));
    const { json } = await api.manage('GET', `/api/runs/${runId}`);
    expect(json).toMatchObject({
      run_id: runId,
      status: summary.status,
      score: summary.score,
      metrics: summary.metrics,
    });
    expect(json.counts).toEqual(summary.counts);
  });

  it('that is over is handed over to be compacted, and one under way is not', async () => {
    const { api, runId } = await withRun();
    const compact = () => api.manage('POST', `/api/runs/${runId}/compact`);
    expect(await compact()).toMatchObject({ status: 409, json: { code: 'run-not-finished' } });
    await api.registry.updateRun(runId, ['queued'], { status: 'failed' });
    expect(await compact()).toMatchObject({ status: 202, json: { run_id: runId, run_url: `/api/runs/${runId}` } });
    expect(api.compactions).toEqual([{ run_id: runId, project: 'shop' }]);
  });

  it('whose baseline lost many rows is still an answer, and says what it leaves out', async () => {
    const { api, runId } = await withRun();
    const removed = Array.from({ length: 200_000 }, (_, index) => `row-${index}`);
    const lists = {
      removed,
      removed_passed: [],
      changed: [],
      regressed: ['row-x'],
      fixed: [],
      still_failing: [],
      unknown: [],
    };
    const figures = {
      same: 1,
      new: 0,
      pass_rate: 1,
      score: 1,
      delta: 0,
      delta_same: 0,
      mean_delta: 0,
      ci95: null,
      p_value: null,
    };
    const baseline = { run_id: 'r-1', ...figures, ...lists, differences: [] };
    await api.registry.updateRun(runId, ['queued'], { status: 'passed' });
    await api.files.write(runId, 'summary.json', JSON.stringify(finishedRun({ baseline })));
    const { json, text } = await api.manage('GET', `/api/runs/${runId}`);
    expect(text.length).toBeLessThan(100_000);
    expect(json.baseline.regressed).toEqual(['row-x']);
    expect(json.warnings).toContain('baseline.removed: 1000 of 200000 shown here; summary.json has all');
  });

  it.each([
    { name: 'of another verdict', text: JSON.stringify({ ...finishedRun(), status: 'passed', gate: 'pass' }) },
    { name: 'of another shape', text: '{"status":"error","gate":"pass"}' },
  ])('that broke is its record, whatever a summary $name says', async ({ text }) => {
    const { api, runId } = await withRun();
    await api.registry.updateRun(runId, ['queued'], { status: 'error', message: 'the workflow failed' });
    await api.files.write(runId, 'summary.json', text);
    const { json } = await api.manage('GET', `/api/runs/${runId}`);
    expect(json).toMatchObject({ status: 'error', gate: 'error', message: 'the workflow failed' });
    expect(json).not.toHaveProperty('counts');
  });

  it('that has not begun is cancelled at once', async () => {
    const { api, runId, gateId } = await withRun();
    const { status, json } = await api.manage('DELETE', `/api/runs/${runId}`);
    expect([status, json.status]).toEqual([202, 'cancelled']);
    const gate = await api.call('GET', `/api/gates/${gateId}`, {
      headers: { 'x-webhook-secret': 'demo-webhook-secret-A1' },
    });
    expect(gate.json.gate).toBe('error');
    expect((await api.manage('DELETE', `/api/runs/${runId}`)).json).toEqual(json);
  });

  it('under way is asked to stop', async () => {
    const { api, runId } = await withRun();
    await api.registry.updateRun(runId, ['queued'], { status: 'running' });
    const { status, json } = await api.manage('DELETE', `/api/runs/${runId}`);
    expect([status, json]).toEqual([202, { run_id: runId, status: 'running', cancel_requested: true }]);
  });

  it('with a verdict keeps it', async () => {
    const { api, runId } = await withRun();
    await api.registry.updateRun(runId, ['queued'], { status: 'passed' });
    const { status, json } = await api.manage('DELETE', `/api/runs/${runId}`);
    expect([status, json.code]).toEqual([409, 'run-finished']);
    expect((await api.registry.getRun(runId))?.status).toBe('passed');
  });

  it('shows its report where it lies', async () => {
    const { api, runId } = await withRun();
    const path = `/api/runs/${runId}/report`;
    expect((await api.manage('GET', path)).json.code).toBe('no-report');
    api.reports.set(runId, { url: 'https://bucket.example/report.html?X-Amz-Signature=x' });
    const redirect = await api.manage('GET', path);
    expect([redirect.status, redirect.headers.location]).toEqual([
      302,
      'https://bucket.example/report.html?X-Amz-Signature=x',
    ]);
    api.reports.set(runId, { html: '<h1>Run</h1>' });
    const page = await api.manage('GET', path);
    expect([page.status, page.headers['content-type'], page.text]).toEqual([
      200,
      'text/html; charset=utf-8',
      '<h1>Run</h1>',
    ]);
  });

  const hostile = [
    '../../secrets',
    '..%2f..%2fsecrets',
    '.',
    '..',
    '',
    'r-',
    'g-01J00000000000000000000000',
    'r-01j00000000000000000000000',
    'r-01JU0000000000000000000000',
    `r-${'0'.repeat(10_000)}`,
    'r-01J00000000000000000000000\n',
    '🚀',
    '\u0000',
  ];
  it.each(hostile)('is not found as %j', async (id) => {
    const { api } = await withRun();
    const headers = { authorization: 'Bearer first-token' };
    for (const routeKey of [
      'GET /api/runs/{id}',
      'DELETE /api/runs/{id}',
      'GET /api/runs/{id}/report',
      'POST /api/runs/{id}/decide',
      'GET /api/datasets/runs/{id}/results',
    ]) {
      const { status } = await api.send({ routeKey, headers, pathParameters: { id } });
      expect([routeKey, status]).toEqual([routeKey, 404]);
    }
  });

  it('that is unknown is not found', async () => {
    const { api } = await withRun();
    const id = `r-${'0'.repeat(26)}`;
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/report'],
    ] as const) {
      expect((await api.manage(method, `/api/runs/${id}${path}`)).status).toBe(404);
    }
    expect((await api.manage('GET', `/api/datasets/runs/${id}/results`)).status).toBe(404);
  });
});

describe('results of a run', () => {
  async function withResults() {
    const { api, runId } = await withRun();
    const results = [
      aResult(0, { run_id: runId }),
      aResult(1, { run_id: runId, passed: false, score: 0.2 }),
      aResult(2, {
        run_id: runId,
        status: 'judge_error',
        cause: 'unparsable',
        passed: false,
        score: null,
        scores: { correctness: unscored('judge-unparsable', 'no verdict') },
        error: 'the judge gave no verdict',
      }),
    ];
    await api.rowIndex.put(runId, 'part-00000000.jsonl.gz', results);
    return { api, runId, path: `/api/datasets/runs/${runId}/results` };
  }

  it('have the shape that readers of Plainwright know', async () => {
    const { api, path } = await withResults();
    const { status, json } = await api.manage('GET', path);
    expect([status, json.cursor]).toEqual([200, null]);
    expect(json.items[0]).toMatchObject({
      input: 'How long do I have to return an order?',
      expected: '30 days',
      output: 'You have 30 days to return it.',
      contexts: null,
      scores: { correctness: 0.9 },
      reasoning: { correctness: 'says 30 days' },
      score: 0.9,
      passed: true,
      latency_ms: 120.5,
      error: null,
      details: { correctness: { status: 'scored', value: 0.9 } },
      truncated: false,
    });
    expect(json.items[2]).toMatchObject({
      score: null,
      scores: { correctness: null },
      error: 'the judge gave no verdict',
    });
  });

  it('are only those that did not pass when asked for', async () => {
    const { api, path } = await withResults();
    const { json } = await api.manage('GET', path, undefined, { query: 'failed_only=true&limit=100' });
    expect(json.items.map(({ row_id }: { row_id: string }) => row_id)).toEqual(['row-1', 'row-2']);
  });

  it('come in pages', async () => {
    const { api, path } = await withResults();
    const seen: string[] = [];
    let query = 'limit=2';
    for (let page = 0; page < 2; page += 1) {
      const { json } = await api.manage('GET', path, undefined, { query });
      seen.push(...json.items.map(({ row_id }: { row_id: string }) => row_id));
      query = `limit=2&cursor=${encodeURIComponent(json.cursor ?? '')}`;
    }
    expect(seen).toEqual(['row-0', 'row-1', 'row-2']);
  });

  it.each([
    ['cursor=nonsense', 'invalid-cursor'],
    ['cursor=%00', 'invalid-cursor'],
    ['limit=0', 'invalid-query'],
    ['limit=501', 'invalid-query'],
    ['limit=ten', 'invalid-query'],
    ['failed_only=maybe', 'invalid-query'],
  ])('are refused for ?%s', async (query, code) => {
    const { api, path } = await withResults();
    const { status, json } = await api.manage('GET', path, undefined, { query });
    expect([status, json.code]).toEqual([400, code]);
  });

  it('take no cursor of another run', async () => {
    const { api, path } = await withResults();
    const { json } = await api.manage('GET', path, undefined, { query: 'limit=1' });
    await api.clock.run(api.clock.sleep(1));
    const other = await api.startRun();
    const answer = await api.manage('GET', `/api/datasets/runs/${other.runId}/results`, undefined, {
      query: `cursor=${json.cursor}`,
    });
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid-cursor']);
  });
});
