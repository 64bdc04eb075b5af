import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DynamoRunSlots } from '../../../src/adapters/aws/dynamo-run-slots.ts';
import { MemoryRegistry } from '../../../src/adapters/memory/memory-registry.ts';
import { MemoryResultParts } from '../../../src/adapters/memory/memory-result-parts.ts';
import { MemoryRunEvents } from '../../../src/adapters/memory/memory-run-events.ts';
import { MemoryRunSlots } from '../../../src/adapters/memory/memory-run-slots.ts';
import { MemoryWorkflow } from '../../../src/adapters/memory/memory-workflow.ts';
import { StorageError, WorkflowError } from '../../../src/core/errors.ts';
import type { RunSlots } from '../../../src/ports/run-slots.ts';
import { endExecution } from '../../../src/use-cases/end/end-execution.ts';
import { sweepRuns } from '../../../src/use-cases/end/sweep-runs.ts';
import { cancelRun } from '../../../src/use-cases/manage/cancel-run.ts';
import { QueueFullError, startWaiting, waitingText } from '../../../src/use-cases/start/run-queue.ts';
import { startGateRun } from '../../../src/use-cases/start/start-gate-run.ts';
import { LocalTables, ManualClock } from '../../adapters/aws/local-cloud.ts';
import { anEval, aProject } from '../../contracts/samples.ts';

const MINUTE = 60_000;

/** Ports in this process, with a workflow that remembers how many executions ran at once and in which order they began. */
class Bench {
  readonly clock = new ManualClock();
  readonly registry = new MemoryRegistry(this.clock);
  readonly events = new MemoryRunEvents();
  readonly parts = new MemoryResultParts();
  readonly started: string[] = [];
  mostAtOnce = 0;
  readonly workflow = new CountingWorkflow((runId) => {
    this.started.push(runId);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running().length);
  });
  readonly runLimits = { maxConcurrentRuns: null as number | null, maxQueuedRuns: 50 };
  slots: RunSlots = new MemoryRunSlots();
  private calls = 0;
  readonly randomBytes = (count: number) => {
    this.calls += 1;
    return Buffer.alloc(count, this.calls);
  };

  async seed(limit: number | undefined, evals: readonly string[] = ['a', 'b']): Promise<void> {
    await this.registry.createProject(aProject(limit === undefined ? {} : { max_concurrent_runs: limit }));
    for (const name of evals) await this.registry.addEvalVersion(anEval(1, { name }));
  }

  trigger(deliveryKey?: string, evals?: readonly string[]) {
    const request = { project: 'shop', ref: null, sha: null, triggeredBy: null, rawBody: '' };
    const key = deliveryKey === undefined ? {} : { deliveryKey };
    return startGateRun({ ...request, ...key, ...(evals === undefined ? {} : { evals }) }, this);
  }

  running(): string[] {
    return [...this.workflow.executions].filter(([, { status }]) => status === 'running').map(([runId]) => runId);
  }

  /** As the workflow's last step and then the event of its end would. */
  async finish(runId: string, ports: Bench = this): Promise<void> {
    await ports.registry.updateRun(runId, ['queued', 'running'], { status: 'passed' });
    this.workflow.finish(runId, 'succeeded');
    await endExecution({ runId, status: 'SUCCEEDED' }, ports);
  }
}

class CountingWorkflow extends MemoryWorkflow {
  private readonly onStart: (runId: string) => void;
  constructor(onStart: (runId: string) => void) {
    super();
    this.onStart = onStart;
  }
  override async start(runId: string, input: { run_id: string; project: string }): Promise<{ execution: string }> {
    const isNew = !this.executions.has(runId);
    const started = await super.start(runId, input);
    if (isNew) this.onStart(runId);
    return started;
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

describe('a project without a limit', () => {
  it('starts all runs at once, and counts them', async () => {
    await bench.seed(undefined);
    const { run_ids } = await bench.trigger();
    expect(bench.running()).toEqual(run_ids);
    expect((await bench.slots.read('shop')).active).toEqual([...run_ids].sort());
  });

  it('has the limit of the stage where that has one, and its own before it', async () => {
    bench.runLimits.maxConcurrentRuns = 1;
    await bench.seed(undefined);
    await bench.trigger();
    expect(bench.running()).toHaveLength(1);
    await bench.registry.putProject(aProject({ max_concurrent_runs: 2 }));
    await startWaiting('shop', bench);
    expect(bench.running()).toHaveLength(2);
  });
});

describe('a run that finds no free slot', () => {
  it('waits as queued, says for what, and starts in its turn', async () => {
    await bench.seed(1);
    const first = await bench.trigger();
    const second = await bench.trigger();
    const [a, b, c, d] = [...first.run_ids, ...second.run_ids] as [string, string, string, string];
    expect(bench.running()).toEqual([a]);
    const texts = await Promise.all(
      [a, b, d].map(async (runId) => {
        const run = await bench.registry.getRun(runId);
        return run === null ? 'no run' : [run.status, await waitingText(run, bench)];
      }),
    );
    expect(texts).toEqual([
      ['queued', null],
      ['queued', 'waiting for a free slot (1 of 1 runs active)'],
      ['queued', 'waiting for a free slot (1 of 1 runs active, 2 before it in the queue)'],
    ]);
    for (const runId of [a, b, c, d]) await bench.finish(runId);
    expect(bench.started).toEqual([a, b, c, d]);
    expect(bench.mostAtOnce).toBe(1);
    expect(await bench.slots.read('shop')).toEqual({ active: [], waiting: [] });
  });

  it('is not taken for one that was never started, however long it waits', async () => {
    await bench.seed(1);
    const { run_ids } = await bench.trigger();
    bench.clock.advanceMs(24 * 60 * MINUTE);
    expect(await sweepRuns(bench)).toMatchObject({ open: 2, closed: [], started: [] });
    await bench.finish(run_ids[0] ?? '');
    expect(bench.running()).toEqual([run_ids[1]]);
  });

  it('is cancelled at once, holds nobody up and is told of', async () => {
    await bench.seed(1);
    const { run_ids } = await bench.trigger();
    const [a, b] = run_ids as [string, string];
    const { run_ids: later } = await bench.trigger(undefined, ['a']);
    expect(await cancelRun(b, bench)).toMatchObject({ status: 'cancelled' });
    expect(bench.events.told).toMatchObject([{ run_id: b, status: 'cancelled', figures: null }]);
    expect(await bench.slots.read('shop')).toEqual({ active: [a], waiting: later });
    await bench.finish(a);
    expect(bench.running()).toEqual(later);
  });
});

describe('a call that comes while the queue is full', () => {
  it('is refused, leaves nothing behind, and succeeds later under the same key', async () => {
    bench.runLimits.maxQueuedRuns = 1;
    await bench.seed(1);
    const first = await bench.trigger('one');
    const refused = bench.trigger('two');
    await expect(refused).rejects.toThrow(QueueFullError);
    await expect(refused).rejects.toThrow('1 runs of project "shop" wait already');
    expect(await bench.registry.listOpenRuns()).toHaveLength(2);
    expect(await bench.trigger('one')).toEqual(first); // a delivery that is in is answered as before
    for (const runId of first.run_ids) await bench.finish(runId);
    const second = await bench.trigger('two');
    expect(bench.running()).toEqual([second.run_ids[0]]);
  });
});

describe('the sweep', () => {
  it('starts what a freed slot left waiting, when the end of the execution was missed', async () => {
    await bench.seed(1);
    const { run_ids } = await bench.trigger();
    const [a, b] = run_ids as [string, string];
    await bench.registry.updateRun(a, ['queued'], { status: 'passed' });
    bench.workflow.finish(a, 'succeeded');
    expect(await sweepRuns(bench)).toMatchObject({ closed: [], started: [b] });
    expect(await sweepRuns(bench)).toMatchObject({ started: [] });
    expect(bench.mostAtOnce).toBe(1);
  });

  it('leaves the slot of a run that has its gate while its execution still runs', async () => {
    await bench.seed(1);
    const { run_ids } = await bench.trigger();
    await bench.registry.updateRun(run_ids[0] ?? '', ['queued'], { status: 'passed' });
    expect(await sweepRuns(bench)).toMatchObject({ started: [] });
    expect(bench.running()).toEqual([run_ids[0]]);
  });

  it('starts a run that has a slot and was never started, late as it is', async () => {
    await bench.seed(1);
    bench.workflow.start = () => Promise.reject(new StorageError('down'));
    await expect(bench.trigger('k')).rejects.toThrow('down');
    delete (bench.workflow as Partial<MemoryWorkflow>).start;
    bench.clock.advanceMs(60 * MINUTE);
    const report = await sweepRuns(bench);
    expect(report).toMatchObject({ open: 2, closed: [] });
    expect(report.started).toHaveLength(1);
    expect(bench.running()).toEqual(report.started);
  });

  it('frees places of a call that died before it wrote its runs, after ten minutes', async () => {
    await bench.seed(1);
    bench.registry.createRun = () => Promise.reject(new StorageError('down'));
    await expect(bench.trigger('k')).rejects.toThrow('down');
    delete (bench.registry as Partial<MemoryRegistry>).createRun;
    await startWaiting('shop', bench);
    expect((await bench.slots.read('shop')).active).toHaveLength(1);
    bench.clock.advanceMs(10 * MINUTE);
    await sweepRuns(bench);
    expect((await bench.slots.read('shop')).active).toHaveLength(1);
    bench.clock.advanceMs(1);
    await sweepRuns(bench);
    expect(await bench.slots.read('shop')).toEqual({ active: [], waiting: [] });
  });

  it('takes a cancelled run out of a queue that its call could not', async () => {
    await bench.seed(1);
    const { run_ids } = await bench.trigger();
    const [, b] = run_ids as [string, string];
    await bench.registry.updateRun(b, ['queued'], { status: 'cancelled' });
    await sweepRuns(bench);
    expect(await bench.slots.read('shop')).toEqual({ active: [run_ids[0]], waiting: [] });
  });

  it('goes on to other projects when one cannot be looked after, and says what failed', async () => {
    await bench.seed(1);
    await bench.registry.createProject(aProject({ id: 'bank', max_concurrent_runs: 1 }));
    await bench.registry.addEvalVersion(anEval(1, { project: 'bank', name: 'a' }));
    await bench.trigger(undefined, ['a']);
    const request = { project: 'bank', ref: null, sha: null, triggeredBy: null, rawBody: '' };
    for (let call = 0; call < 2; call += 1) await startGateRun(request, bench);
    const [first = ''] = (await bench.slots.read('bank')).active;
    await bench.registry.updateRun(first, ['queued'], { status: 'passed' });
    bench.workflow.finish(first, 'succeeded');
    const status = bench.workflow.status.bind(bench.workflow);
    const inShop = new Set((await bench.slots.read('shop')).active);
    bench.workflow.status = (execution) =>
      inShop.has(execution) ? Promise.reject(new WorkflowError('throttled')) : status(execution);
    const report = await sweepRuns(bench);
    expect(report.failures).toMatchObject([{ name: 'WorkflowError' }]);
    expect(report.started).toHaveLength(1);
  });

  it('counts a run that runs without a slot, such as a redriven one', async () => {
    await bench.seed(1);
    const { run_ids } = await bench.trigger(undefined, ['a']);
    const [a] = run_ids as [string];
    await bench.registry.updateRun(a, ['queued'], { status: 'running' });
    await bench.slots.free('shop', a);
    await sweepRuns(bench);
    await bench.trigger(undefined, ['b']);
    expect(bench.running()).toEqual([a]);
  });
});

describe('the end of an execution', () => {
  it('that runs again by now frees nothing', async () => {
    await bench.seed(1);
    const { run_ids } = await bench.trigger();
    expect(await endExecution({ runId: run_ids[0] ?? '', status: 'FAILED' }, bench)).toEqual({ started: [] });
    expect(bench.running()).toEqual([run_ids[0]]);
  });

  it('of no run is nobody’s', async () => {
    expect(await endExecution({ runId: 'r-unknown', status: 'FAILED' }, bench)).toEqual({ started: [] });
  });
});

/** Every call of a port is held until the scheduler lets it go: any order of what runs at once. */
function scheduled(ports: Bench, scheduler: fc.Scheduler): Bench {
  const wrap = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (object, method, receiver) => {
        const value = Reflect.get(object, method, receiver) as unknown;
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) =>
          scheduler.schedule(Promise.resolve(), String(method)).then(() => value.apply(object, args));
      },
    });
  return Object.assign(Object.create(ports) as Bench, {
    registry: wrap(ports.registry),
    slots: wrap(ports.slots),
    workflow: wrap(ports.workflow),
  });
}

const tables = new LocalTables();
afterAll(tables.stop);

describe.each([
  { adapter: 'memory', makeSlots: async (): Promise<RunSlots> => new MemoryRunSlots(), runs: 150 },
  { adapter: 'DynamoDB', makeSlots: async () => new DynamoRunSlots(await tables.table()), runs: 15 },
])('deliveries, ends and sweeps at once, in any order, over $adapter', ({ makeSlots, runs }) => {
  it('never run more than may, start each run once, in the order of the queue, and lose none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 2, maxLength: 5 }),
        fc.boolean(),
        async (scheduler, limit, deliveries, sweeps) => {
          const here = new Bench();
          here.slots = await makeSlots();
          await here.seed(limit);
          const ports = scheduled(here, scheduler);
          const trigger = Bench.prototype.trigger.bind(ports);
          // Equal keys are one delivery that came several times.
          const calls: Promise<unknown>[] = deliveries.map((key) =>
            trigger(`d${key}`, key % 2 === 0 ? ['a', 'b'] : ['a']),
          );
          if (sweeps) calls.push(sweepRuns(ports));
          const ended = new Set<string>();
          await scheduler.waitFor(Promise.all(calls));
          const wanted = (await here.registry.listOpenRuns()).map(({ run_id }) => run_id);
          expect(here.mostAtOnce).toBeLessThanOrEqual(limit);
          const queue = [...(await here.slots.read('shop')).waiting];
          const before = here.started.length;
          while (here.running().length > 0) {
            const ending = here.running();
            for (const runId of ending) ended.add(runId);
            const ends = ending.map((runId) => here.finish(runId, ports));
            if (sweeps) ends.push(sweepRuns(ports).then(() => undefined));
            await scheduler.waitFor(Promise.all(ends));
            expect(here.mostAtOnce).toBeLessThanOrEqual(limit);
          }
          expect([...ended].sort()).toEqual([...wanted].sort());
          expect(new Set(here.started).size).toBe(here.started.length);
          if (limit === 1) expect(here.started.slice(before)).toEqual(queue);
          expect(await here.slots.read('shop')).toEqual({ active: [], waiting: [] });
        },
      ),
      { numRuns: runs },
    );
  });
});
