import { beforeEach, describe, expect, it } from 'vitest';
import { createHandler as createAggregateRun } from '../../lambdas/aggregate-run/handler.ts';
import { createHandler as createEvaluateRows } from '../../lambdas/evaluate-rows/handler.ts';
import { createHandler as createFailRun } from '../../lambdas/fail-run/handler.ts';
import { createHandler as createPrepareRun } from '../../lambdas/prepare-run/handler.ts';
import { setLogSink } from '../../lambdas/shared/log.ts';
import { createHandler as createSweepRuns } from '../../lambdas/sweep-runs/handler.ts';
import { MemoryRegistry } from '../../src/adapters/memory/memory-registry.ts';
import { MemoryResultParts } from '../../src/adapters/memory/memory-result-parts.ts';
import { MemoryRunEvents } from '../../src/adapters/memory/memory-run-events.ts';
import { MemoryRunSlots } from '../../src/adapters/memory/memory-run-slots.ts';
import { MemoryWorkflow } from '../../src/adapters/memory/memory-workflow.ts';
import type { RunRecord } from '../../src/core/schemas/registry.ts';
import type { LambdaHandler } from '../../src/dev/lambda-host.ts';
import { ManualClock } from '../dev/state-machine/harness.ts';

setLogSink(() => {});
const RUN = 'r-01M8PYFAYM83S0R0J4MHJP173T';

let clock: ManualClock;
let registry: MemoryRegistry;
let workflow: MemoryWorkflow;
let slots: MemoryRunSlots;
let events: MemoryRunEvents;
let parts: MemoryResultParts;
let closed: number;
beforeEach(() => {
  clock = new ManualClock();
  registry = new MemoryRegistry(clock);
  workflow = new MemoryWorkflow();
  slots = new MemoryRunSlots();
  events = new MemoryRunEvents();
  parts = new MemoryResultParts();
  closed = 0;
});

const ports = () => ({
  clock,
  registry,
  workflow,
  slots,
  events,
  parts,
  runLimits: { maxConcurrentRuns: null, maxQueuedRuns: 10 },
  onFailed: () => {
    closed += 1;
  },
  onClosed: (count: number) => {
    closed += count;
  },
});
const invoke = (handler: unknown, event: unknown) => (handler as LambdaHandler)(event, {} as never);

async function run(change: Partial<RunRecord> = {}): Promise<void> {
  await registry.createRun({
    run_id: RUN,
    gate_run_id: 'g-01M8PYFAYM1B26GGCHXN4WDGZV',
    project: 'p',
    eval: 'e',
    eval_version: 1,
    status: 'running',
    quarantined: false,
    started_at: new Date(clock.now()).toISOString(),
    finished_at: null,
    ref: null,
    sha: null,
    triggered_by: null,
    execution: RUN,
    attempt: 1,
    total: null,
    message: '',
    decision: null,
    score: null,
    pass_rate: null,
    cancel_requested: false,
    earlier: [],
    ...change,
  });
}

describe('every step', () => {
  it.each([
    ['prepare-run', createPrepareRun],
    ['evaluate-rows', createEvaluateRows],
    ['aggregate-run', createAggregateRun],
    ['fail-run', createFailRun],
  ])('%s refuses an event that is none of its own', async (_, create) => {
    const handler = create(ports() as never);
    for (const event of [null, {}, { run_id: 1 }, { detail: {} }, 'text']) {
      await expect(invoke(handler, event)).rejects.toMatchObject({ name: 'ZodError' });
    }
  });
});

describe('fail-run', () => {
  const event = (detail: object = {}) => ({
    detail: {
      executionArn: `arn:${RUN}`,
      name: RUN,
      status: 'FAILED',
      error: 'StorageError',
      cause: 'disk',
      ...detail,
    },
  });

  it.each([
    [{}, 'the workflow failed: StorageError: disk'],
    [{ status: 'TIMED_OUT', error: null, cause: null }, 'the workflow ran out of time'],
    [{ status: 'ABORTED', error: '', cause: 'by hand' }, 'the workflow was aborted: by hand'],
  ])('closes the run with what the event tells: %j', async (detail, message) => {
    await run();
    await workflow.start(RUN, { run_id: RUN, project: 'p' });
    workflow.finish(RUN, 'failed');
    expect(await invoke(createFailRun(ports()), event(detail))).toEqual({ run_id: RUN, closed: true });
    expect(await registry.getRun(RUN)).toMatchObject({ status: 'error', message });
    expect(closed).toBe(1);
    expect(events.told).toMatchObject([{ run_id: RUN, status: 'error', gate: 'error', message }]);
    expect([...parts.objects.keys()]).toEqual([expect.stringMatching(/^tables\/runs\/dt=[\d-]+\/r-\w+\.jsonl\.gz$/)]);
  });

  it('cuts a cause that holds a stack', async () => {
    await run();
    await invoke(createFailRun(ports()), event({ cause: 'x'.repeat(30_000) }));
    expect((await registry.getRun(RUN))?.message.length).toBeLessThan(1_100);
  });

  it.each(['passed', 'failed', 'error', 'cancelled'] as const)('leaves a run alone that is %s', async (status) => {
    await run({ status, message: 'as it was' });
    expect(await invoke(createFailRun(ports()), event())).toMatchObject({ closed: false });
    expect(await registry.getRun(RUN)).toMatchObject({ status, message: 'as it was' });
    expect(closed).toBe(0);
  });

  it('an execution that was redriven meanwhile keeps its run', async () => {
    await run();
    await workflow.start(RUN, { run_id: RUN, project: 'p' });
    expect(await invoke(createFailRun(ports()), event())).toMatchObject({ closed: false });
    expect((await registry.getRun(RUN))?.status).toBe('running');
  });

  it('a cancelled run ends as cancelled, whatever ended its execution', async () => {
    await run({ cancel_requested: true });
    await invoke(createFailRun(ports()), event());
    expect((await registry.getRun(RUN))?.status).toBe('cancelled');
  });

  it('an execution of no run changes nothing', async () => {
    expect(await invoke(createFailRun(ports()), event())).toMatchObject({ closed: false });
  });
});

describe('sweep-runs', () => {
  const MINUTE = 60_000;

  it.each([
    { execution: 'succeeded', message: /ended without a gate/ },
    { execution: 'failed', message: /failed/ },
    { execution: 'timed_out', message: /ran out of time/ },
    { execution: 'aborted', message: /aborted/ },
  ] as const)('closes a run whose execution $execution', async ({ execution, message }) => {
    await run();
    await workflow.start(RUN, { run_id: RUN, project: 'p' });
    workflow.finish(RUN, execution);
    expect(await invoke(createSweepRuns(ports()), {})).toMatchObject({ open: 1, closed: [RUN] });
    expect(await registry.getRun(RUN)).toMatchObject({ status: 'error', message: expect.stringMatching(message) });
    expect(closed).toBe(1);
    expect(await invoke(createSweepRuns(ports()), {})).toMatchObject({ open: 0, closed: [] });
  });

  it('closes a run whose execution does not exist any more, and leaves one that runs', async () => {
    await run();
    await workflow.start(RUN, { run_id: RUN, project: 'p' });
    expect(await invoke(createSweepRuns(ports()), {})).toMatchObject({ open: 1, closed: [] });
    workflow.executions.delete(RUN);
    expect(await invoke(createSweepRuns(ports()), {})).toMatchObject({ open: 1, closed: [RUN] });
  });

  it('leaves a run that was started although nobody wrote that down', async () => {
    await run({ execution: null });
    await workflow.start(RUN, { run_id: RUN, project: 'p' });
    clock.advance(60 * MINUTE);
    expect(await invoke(createSweepRuns(ports()), {})).toMatchObject({ open: 1, closed: [] });
    workflow.finish(RUN, 'failed');
    expect(await invoke(createSweepRuns(ports()), {})).toMatchObject({ open: 1, closed: [RUN] });
  });

  it('fails when something could not be done, after it has done the rest', async () => {
    await run();
    await workflow.start(RUN, { run_id: RUN, project: 'p' });
    workflow.finish(RUN, 'failed');
    slots.readAll = async () => [{ project: 'p', active: ['r-x'], waiting: [] }];
    const getRun = registry.getRun.bind(registry);
    registry.getRun = (id) => (id === 'r-x' ? Promise.reject(new Error('disk')) : getRun(id));
    await expect(invoke(createSweepRuns(ports()), {})).rejects.toThrow('disk');
    expect((await registry.getRun(RUN))?.status).toBe('error');
    expect(closed).toBe(1);
  });

  it('takes the event of an execution that ended, however, for its slot alone', async () => {
    await run({ status: 'running' });
    await slots.enter('p', [RUN], { maxActive: 1, maxWaiting: 1 });
    await workflow.start(RUN, { run_id: RUN, project: 'p' });
    const ended = { detail: { executionArn: `arn:${RUN}`, name: RUN, status: 'FAILED' } };
    expect(await invoke(createSweepRuns(ports()), ended)).toEqual({ started: [] });
    expect((await slots.read('p')).active).toEqual([RUN]); // it still runs, or runs again
    workflow.finish(RUN, 'failed');
    expect(await invoke(createSweepRuns(ports()), ended)).toEqual({ started: [] });
    expect((await slots.read('p')).active).toEqual([]);
    expect((await registry.getRun(RUN))?.status).toBe('running');
  });

  it('gives a webhook call ten minutes to start its runs', async () => {
    await run({ status: 'queued', execution: null });
    clock.advance(10 * MINUTE);
    expect(await invoke(createSweepRuns(ports()), {})).toMatchObject({ open: 1, closed: [] });
    clock.advance(1);
    expect(await invoke(createSweepRuns(ports()), {})).toMatchObject({ open: 1, closed: [RUN] });
  });
});
