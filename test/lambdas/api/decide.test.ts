import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../src/core/config/parse-policy.ts';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import type { RunSummary } from '../../../src/core/schemas/summary.ts';
import { aggregateDeployedRun } from '../../../src/use-cases/aggregate/aggregate-deployed-run.ts';
import { decideRun } from '../../../src/use-cases/aggregate/decide-run.ts';
import { chunksOf, result, runConfig } from '../../core/aggregate/build.ts';
import { TestApi } from './api.ts';

const LENIENT = { thresholds: { min_score: 0.7 } };

/** A run whose parts lie in the store, aggregated as its last state does it. */
async function decidedRun(scores: readonly number[], api: TestApi, baseline = 'none') {
  const { runId } = await api.startRun();
  const record = await api.registry.getRun(runId);
  if (record === null) throw new Error('no run');
  const started_at = record.started_at;
  const base = runConfig({ rows: scores.length, eval: { baseline } });
  const config = { ...base, run_id: runId, project: 'shop', started_at };
  // An input that is no text is packed in its part.
  const results = scores.map((score, index) =>
    result(index, score, { run_id: runId, project: 'shop', started_at, input: { question: index } }),
  );
  await api.files.write(runId, 'config.json', JSON.stringify(config));
  await api.files.write(runId, 'rows.jsonl', '');
  const ref = { runId, project: 'shop', startedAt: started_at };
  await api.parts.write(ref, 0, results.slice(0, 2));
  await api.parts.write(ref, 2, results.slice(2));
  const ports = {
    ...api,
    runs: () => api.files,
    openEnvironment: unused,
    prices: { date: '', source: '', models: {} },
  };
  await api.registry.updateRun(runId, ['queued'], { status: 'running' });
  await aggregateDeployedRun({ run_id: runId, project: 'shop' }, ports);
  return { runId, config, results, summary: (await api.manage('GET', `/api/runs/${runId}`)).json };
}

async function changeSummary(api: TestApi, runId: string, change: (summary: RunSummary) => Partial<RunSummary>) {
  const parts: Uint8Array[] = [];
  for await (const chunk of (await api.files.read(runId, 'summary.json')) ?? []) parts.push(chunk);
  const summary = JSON.parse(Buffer.concat(parts).toString()) as RunSummary;
  await api.files.write(runId, 'summary.json', JSON.stringify({ ...summary, ...change(summary) }));
}

const unused = () => Promise.reject(new Error('no environment is opened'));

async function seeded(): Promise<TestApi> {
  const api = new TestApi();
  await api.seed();
  return api;
}

/** As `assay decide` reads a folder: results in one file. */
async function decidedLocally({ config, results, summary }: Awaited<ReturnType<typeof decidedRun>>, policy: unknown) {
  return decideRun({
    config,
    summary,
    results: () => [chunksOf(results as readonly RowResult[])],
    rows: async () => null,
    outcomes: null,
    eval: parsePolicy(policy, config.eval),
    baseline: null,
  });
}

describe('POST /api/runs/{id}/decide', () => {
  it('decides byte for byte as before under the policy the run had', async () => {
    const api = await seeded();
    const { runId, summary } = await decidedRun([0.85, 0.75, 0.7], api);
    for (const body of [undefined, {}]) {
      const { status, json } = await api.manage('POST', `/api/runs/${runId}/decide`, body);
      expect(status).toBe(200);
      expect(JSON.stringify(json.decision)).toBe(JSON.stringify(summary.decision));
      expect(json.stored.decision).toEqual(summary.decision);
      expect(json.changed).toEqual({
        gate: false,
        policy: [],
        rows: { now_passed: [], now_failed: [], now_unknown: [] },
      });
    }
  });

  it('decides byte for byte as this machine does under another policy, and leaves the stored decision', async () => {
    const api = await seeded();
    const run = await decidedRun([0.85, 0.75, 0.7], api);
    const { json } = await api.manage('POST', `/api/runs/${run.runId}/decide`, { policy: LENIENT });
    const local = await decidedLocally(run, LENIENT);
    expect(JSON.stringify(json.decision)).toBe(JSON.stringify(local.decision));
    expect(json).toMatchObject({ gate: 'pass', stored: { gate: 'fail' }, changed: { gate: true }, cut: [] });
    expect(json.changed.rows.now_passed).toEqual(['row-1', 'row-2']);
    expect(json.decision.policy_hash).not.toBe(json.stored.decision.policy_hash);
    expect((await api.manage('GET', `/api/runs/${run.runId}`)).json.decision).toEqual(run.summary.decision);
  });

  it('decides the rows of the baseline by the same policy: a mark that moved is no regression', async () => {
    const api = await seeded();
    const former = await decidedRun([0.75, 0.95], api);
    await api.clock.run(api.clock.sleep(1));
    const { runId } = await decidedRun([0.75, 0.95], api, former.runId);
    const policy = { thresholds: { min_score: 0.7, fail_on_regression: true } };
    const { json } = await api.manage('POST', `/api/runs/${runId}/decide`, { policy });
    expect([json.gate, json.warnings]).toEqual(['pass', []]);
    await api.files.write(former.runId, 'config.json', JSON.stringify({ ...former.config, rows: 20_001 }));
    expect((await api.manage('POST', `/api/runs/${runId}/decide`, { policy })).status).toBe(413);
  });

  it.each([
    { body: { policy: { thresholds: { min_score: 2 } } }, status: 422, field: 'thresholds.min_score' },
    { body: { policy: { thresholds: { min_scor: 0.5 } } }, status: 422, field: 'thresholds' },
    { body: { policy: { veto: ['nobody'] } }, status: 422, field: 'veto.0' },
    { body: { policy: { decide_by: 'interval' } }, status: 422, field: 'margin' },
    { body: { policy: { thresholds: { min_tool_score: 0.5 } } }, status: 422, field: 'thresholds.min_tool_score' },
    { body: { policy: 'lenient' }, status: 400, field: 'policy' },
    { body: { policy: [] }, status: 400, field: 'policy' },
    { body: { policy: null }, status: 400, field: 'policy' },
    { body: { thresholds: {} }, status: 400, field: 'thresholds' },
    { body: [], status: 400, field: undefined },
  ])('refuses $body', async ({ body, status, field }) => {
    const api = await seeded();
    const { runId } = await decidedRun([0.9], api);
    const answer = await api.manage('POST', `/api/runs/${runId}/decide`, body);
    expect([answer.status, answer.text]).toEqual([status, answer.text]);
    if (field !== undefined) expect(answer.json.faults[0].field).toContain(field);
  });

  it('refuses a run with more results than a call can read, and says where to decide it', async () => {
    const api = await seeded();
    const { runId } = await decidedRun([0.9], api);
    await changeSummary(api, runId, ({ counts }) => ({ counts: { ...counts, results: 20_001 } }));
    const { status, json } = await api.manage('POST', `/api/runs/${runId}/decide`, {});
    expect([status, json.code]).toEqual([413, 'too-large']);
    expect(json.detail).toContain('assay decide');
  });

  it.each([
    { name: 'under way', change: { status: 'running' as const }, code: 'run-not-finished' },
    { name: 'that broke before it had results', change: { status: 'error' as const }, code: 'run-without-results' },
  ])('has no decision for a run $name', async ({ change, code }) => {
    const api = await seeded();
    const { runId } = await api.startRun();
    await api.registry.updateRun(runId, ['queued'], change);
    const { status, json } = await api.manage('POST', `/api/runs/${runId}/decide`, {});
    expect([status, json.code]).toEqual([409, code]);
  });

  it('tells when the baseline is gone, instead of deciding without it', async () => {
    const api = await seeded();
    const former = await decidedRun([0.9, 0.9], api);
    await api.clock.run(api.clock.sleep(1));
    const { runId } = await decidedRun([0.9, 0.9], api, former.runId);
    const gone = 'r-01JD0000000000000000000009';
    await changeSummary(api, runId, ({ baseline }) => ({ baseline: baseline && { ...baseline, run_id: gone } }));
    const { status, json } = await api.manage('POST', `/api/runs/${runId}/decide`, {});
    expect([status, json.code]).toEqual([409, 'baseline-gone']);
  });

  it('is a run of another project for nobody', async () => {
    const api = await seeded();
    const { runId } = await decidedRun([0.9], api);
    await api.manage('POST', '/api/projects', { id: 'other' });
    const { json } = await api.manage('POST', '/api/tokens', { name: 'x', projects: ['other'], access: 'write' });
    const headers = { authorization: `Bearer ${json.token}` };
    expect((await api.manage('POST', `/api/runs/${runId}/decide`, {}, { headers })).status).toBe(404);
  });
});
