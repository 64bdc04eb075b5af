import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryRegistry } from '../../../src/adapters/memory/memory-registry.ts';
import { MemoryResultParts } from '../../../src/adapters/memory/memory-result-parts.ts';
import { MemoryRunStore } from '../../../src/adapters/memory/memory-run-store.ts';
import type { RunRecord } from '../../../src/core/schemas/registry.ts';
import { deployedReportContext } from '../../../src/use-cases/aggregate/deployed-report-context.ts';
import { runConfig } from '../../core/aggregate/build.ts';
import { finishedRun, rowResult } from '../../report/finished-run.ts';

const id = (n: number) => `r-${String(n).padStart(26, '0')}`;
const startedAt = (n: number) => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`;
const former = { ...runConfig({ rows: 2 }), run_id: id(1), project: 'demo', started_at: startedAt(1) };
const comparison = { run_id: id(1), regressed: ['row-1'], fixed: [] } as unknown as NonNullable<
  ReturnType<typeof finishedRun>['baseline']
>;
const summary = finishedRun({ run_id: id(20), project: 'demo', started_at: startedAt(20), baseline: comparison });

let registry: MemoryRegistry;
let store: MemoryRunStore;
let parts: MemoryResultParts;
const ports = () => ({ registry, parts, runs: () => store });

beforeEach(async () => {
  registry = new MemoryRegistry({ now: () => 0 } as never);
  store = new MemoryRunStore();
  parts = new MemoryResultParts();
  await store.write(id(1), 'summary.json', JSON.stringify(finishedRun({ run_id: id(1) })));
});

const storeAnswer = () =>
  parts.write({ runId: id(1), project: 'demo', startedAt: startedAt(1) }, 0, [rowResult({ output: 'as it was' })]);

describe('what a deployed report tells of the baseline', () => {
  it('is its summary and its answers to the rows that changed', async () => {
    await storeAnswer();
    const { baselineAnswers, baselineSummary } = await deployedReportContext(summary, former, ports());
    expect(baselineSummary?.run_id).toBe(id(1));
    expect(baselineAnswers?.status === 'read' && baselineAnswers.answers.of('row-1')[0]?.output).toBe('as it was');
  });

  it('is why there is none, where the results are gone', async () => {
    expect(await deployedReportContext(summary, former, ports())).toMatchObject({
      baselineSummary: { run_id: id(1) },
      baselineAnswers: { status: 'gone', why: `the results of the baseline ${id(1)} cannot be read` },
    });
  });

  it.each([
    { name: 'gone', write: null },
    { name: 'no summary of ours', write: '{"run_id": 1}' },
    { name: 'cut off', write: '{"run_' },
  ])('is why there is none, where the summary is $name', async ({ write }) => {
    store = new MemoryRunStore();
    if (write !== null) await store.write(id(1), 'summary.json', write);
    const context = await deployedReportContext(summary, former, ports());
    expect(context.baselineAnswers).toEqual({ status: 'gone', why: `the files of the baseline ${id(1)} are gone` });
    expect(context.baselineSummary).toBeUndefined();
  });

  it('is nothing without a baseline', async () => {
    expect(await deployedReportContext(finishedRun(), null, ports())).toEqual({ history: [] });
  });
});

describe('what a deployed report tells of earlier runs', () => {
  const record = (n: number, changes: Partial<RunRecord> = {}): RunRecord => ({
    run_id: id(n),
    gate_run_id: 'g',
    project: 'demo',
    eval: 'support-faq',
    eval_version: 1,
    status: 'passed',
    quarantined: false,
    started_at: startedAt(n),
    finished_at: null,
    ref: null,
    sha: null,
    triggered_by: null,
    execution: null,
    attempt: 1,
    total: null,
    message: '',
    decision: null,
    score: n / 100,
    pass_rate: n / 100,
    cancel_requested: false,
    earlier: [],
    ...changes,
  });

  it('is the eleven before it that ended, the oldest first', async () => {
    for (let n = 1; n <= 25; n += 1) {
      const status = n === 18 ? 'running' : n === 17 ? 'failed' : n === 16 ? 'cancelled' : 'passed';
      await registry.createRun(record(n, { status }));
    }
    await registry.createRun(record(19, { run_id: id(99), eval: 'another' }));
    const { history = [] } = await deployedReportContext(summary, null, ports());
    expect(history.map(({ score }) => Math.round((score ?? 0) * 100))).toEqual([
      8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19,
    ]);
    expect(history.map(({ gate }) => gate).slice(-3)).toEqual(['error', 'fail', 'pass']);
  });
});
