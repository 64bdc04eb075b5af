import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryRegistry } from '../../../src/adapters/memory/memory-registry.ts';
import { MemoryResultParts } from '../../../src/adapters/memory/memory-result-parts.ts';
import { MemoryRunEvents } from '../../../src/adapters/memory/memory-run-events.ts';
import { MemoryRunSlots } from '../../../src/adapters/memory/memory-run-slots.ts';
import { MemoryWorkflow } from '../../../src/adapters/memory/memory-workflow.ts';
import { RUNS } from '../../../src/analytics/tables.ts';
import { RunEventError, StorageError } from '../../../src/core/errors.ts';
import type { RunRecord } from '../../../src/core/schemas/registry.ts';
import { closeWithError } from '../../../src/use-cases/end/close-run.ts';
import { resumeIfRedriven } from '../../../src/use-cases/end/redrive.ts';
import { sweepRuns } from '../../../src/use-cases/end/sweep-runs.ts';
import { ManualClock } from '../../adapters/aws/local-cloud.ts';
import { anEval, aRun, aRunId, RUN_ID } from '../../contracts/samples.ts';

const MINUTE = 60_000;
const LINE = `tables/runs/dt=2026-11-30/${RUN_ID}.jsonl.gz`;

let ports: ReturnType<typeof makePorts>;
beforeEach(async () => {
  ports = makePorts();
  await ports.registry.addEvalVersion(anEval(1, { config: { ...anEval(1).config, dataset: 'faq@v7' } }));
});

function makePorts() {
  const clock = new ManualClock();
  return {
    clock,
    registry: new MemoryRegistry(clock),
    parts: new MemoryResultParts(),
    events: new MemoryRunEvents(),
    slots: new MemoryRunSlots(),
    workflow: new MemoryWorkflow(),
    runLimits: { maxConcurrentRuns: null, maxQueuedRuns: 10 },
  };
}

async function run(changes: Partial<RunRecord> = {}): Promise<void> {
  await ports.registry.createRun(aRun({ status: 'running', execution: RUN_ID, total: 80, ...changes }));
}

function line(key = LINE): Record<string, unknown> | null {
  const bytes = ports.parts.objects.get(key);
  if (bytes === undefined) return null;
  const text = gunzipSync(bytes).toString('utf8');
  expect(text.endsWith('\n')).toBe(true);
  return JSON.parse(text.trimEnd()) as Record<string, unknown>;
}

const told = () => ports.events.told.map(({ run_id, attempt, status }) => [run_id, attempt, status]);
const fails = (error: Error) => () => Promise.reject(error);

describe('a run that is closed without having been counted', () => {
  it('has its line in the table of runs, with null for every figure that nobody counted', async () => {
    await run({ sha: '4f2a9c1', ref: 'main', quarantined: true });
    await closeWithError(RUN_ID, 'the workflow failed: disk', ports);
    const written = line();
    expect(Object.keys(written ?? {}).sort()).toEqual(RUNS.columns.map(({ name }) => name).sort());
    const known = Object.fromEntries(Object.entries(written ?? {}).filter(([, value]) => value !== null));
    expect(known).toEqual({
      run_id: RUN_ID,
      project: 'shop',
      eval: 'support-faq',
      type: 'qa',
      dataset: 'faq',
      ref: 'main',
      sha: '4f2a9c1',
      started_at: '2026-11-30T10:00:00.000Z',
      finished_at: '2026-11-30T10:00:00.000Z',
      status: 'error',
      gate: 'error',
      message: 'the workflow failed: disk',
      quarantined: true,
      results: 80,
    });
  });

  it('whose eval is gone has a line all the same', async () => {
    await ports.registry.deleteEval('shop', 'support-faq');
    await run({ total: null });
    await closeWithError(RUN_ID, 'broke', ports);
    expect(line()).toMatchObject({ status: 'error', type: null, dataset: null, results: null });
  });

  it('is told once its line lies there, and not again', async () => {
    await run({ cancel_requested: true });
    expect(await closeWithError(RUN_ID, 'stopped', ports)).toBe(true);
    expect(told()).toEqual([[RUN_ID, 1, 'cancelled']]);
    expect(await closeWithError(RUN_ID, 'again', ports)).toBe(false);
    ports.clock.advanceMs(10 * MINUTE);
    expect((await sweepRuns(ports)).announced).toEqual([]);
    expect(told()).toHaveLength(1);
  });
});

describe('an end that cannot be told', () => {
  it.each([
    { what: 'bus', fail: () => Object.assign(ports.events, { runFinished: fails(new RunEventError('down')) }) },
    { what: 'table', fail: () => Object.assign(ports.parts, { writeTable: fails(new StorageError('down')) }) },
    { what: 'mark', fail: () => Object.assign(ports.registry, { markAnnounced: fails(new StorageError('down')) }) },
  ])('for want of its $what leaves the gate as it is, is said aloud, and is told by the sweep', async ({ fail }) => {
    await run();
    fail();
    expect(await closeWithError(RUN_ID, 'broke', ports)).toBe(true);
    expect(await ports.registry.getRun(RUN_ID)).toMatchObject({ status: 'error', message: 'broke' });
    expect(ports.events.failures).toMatchObject([{ runId: RUN_ID, error: { message: 'down' } }]);
    for (const port of [ports.events, ports.parts, ports.registry]) {
      for (const name of ['runFinished', 'writeTable', 'markAnnounced']) Reflect.deleteProperty(port, name);
    }
    ports.clock.advanceMs(MINUTE);
    expect((await sweepRuns(ports)).announced).toEqual([]); // whoever closed it may be at it still
    ports.clock.advanceMs(1);
    expect((await sweepRuns(ports)).announced).toEqual([RUN_ID]);
    expect(told().at(-1)).toEqual([RUN_ID, 1, 'error']);
    expect(line()).toMatchObject({ status: 'error' });
    expect((await sweepRuns(ports)).announced).toEqual([]);
  });

  it('does not keep the sweep from its work, nor asks a bus that is down for every run', async () => {
    for (let number = 0; number < 6; number += 1) {
      await run({ run_id: aRunId(number), started_at: `2026-11-30T09:00:0${number}.000Z` });
      await ports.registry.updateRun(aRunId(number), ['running'], {
        status: 'error',
        announce_pending: true,
        finished_at: '2026-11-30T09:10:00.000Z',
      });
    }
    ports.events.runFinished = fails(new RunEventError('down'));
    expect(await sweepRuns(ports)).toMatchObject({ closed: [], announced: [] });
    expect(ports.events.failures.map(({ runId }) => runId)).toEqual([0, 1, 2].map(aRunId));
    Reflect.deleteProperty(ports.events, 'runFinished');
    expect((await sweepRuns(ports)).announced).toEqual([0, 1, 2, 3, 4, 5].map(aRunId));
  });

  it('of a run that is redriven before it was told is told when the run is over again', async () => {
    await run();
    ports.events.runFinished = fails(new RunEventError('down'));
    await closeWithError(RUN_ID, 'broke', ports);
    Reflect.deleteProperty(ports.events, 'runFinished');
    await ports.workflow.start(RUN_ID, { run_id: RUN_ID, project: 'shop' });
    const broken = await ports.registry.getRun(RUN_ID);
    expect(await resumeIfRedriven(broken as RunRecord, ports)).toMatchObject({ status: 'running', attempt: 2 });
    ports.clock.advanceMs(10 * MINUTE);
    expect((await sweepRuns(ports)).announced).toEqual([]);
    expect(await ports.slots.read('shop')).toMatchObject({ active: [RUN_ID] });
    await closeWithError(RUN_ID, 'broke again', ports);
    expect(told()).toEqual([[RUN_ID, 2, 'error']]);
  });
});
