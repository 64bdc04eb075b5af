import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryRegistry } from '../../../src/adapters/memory/memory-registry.ts';
import { MemoryRunSlots } from '../../../src/adapters/memory/memory-run-slots.ts';
import { MemorySchedules } from '../../../src/adapters/memory/memory-schedules.ts';
import { MemoryWorkflow } from '../../../src/adapters/memory/memory-workflow.ts';
import { ScheduleError } from '../../../src/core/errors.ts';
import { type EvalVersion, ProjectSchema } from '../../../src/core/schemas/registry.ts';
import { deleteEval } from '../../../src/use-cases/manage/delete-eval.ts';
import { NotFoundError } from '../../../src/use-cases/manage/errors.ts';
import { setEvalState } from '../../../src/use-cases/manage/eval-history.ts';
import { putEval } from '../../../src/use-cases/manage/put-eval.ts';
import { mendSchedules } from '../../../src/use-cases/start/mend-schedules.ts';
import { startScheduled } from '../../../src/use-cases/start/start-scheduled.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const NOW = Date.UTC(2026, 11, 1, 2, 0, 5);
const AT = '2026-12-01T02:00:00Z';

/** Schedules that fail when they are told to. */
class FailingSchedules extends MemorySchedules {
  failures = 0;
  /** Runs before a schedule is changed: what others do in this moment. */
  meanwhile: () => Promise<unknown> = async () => undefined;
  override async put(...args: Parameters<MemorySchedules['put']>) {
    await this.before();
    return super.put(...args);
  }
  override async remove(...args: Parameters<MemorySchedules['remove']>) {
    await this.before();
    return super.remove(...args);
  }
  private async before(): Promise<void> {
    const meanwhile = this.meanwhile;
    this.meanwhile = async () => undefined;
    await meanwhile();
    if (this.failures-- > 0) throw new ScheduleError('EventBridge Scheduler: ThrottlingException: slow down');
  }
}

const schedules = { current: new FailingSchedules() };
let ports: ReturnType<typeof makePorts>;

function makePorts() {
  const clock = new VirtualClock(NOW);
  return {
    clock,
    registry: new MemoryRegistry(clock),
    workflow: new MemoryWorkflow(),
    slots: new MemoryRunSlots(),
    runLimits: { maxConcurrentRuns: null, maxQueuedRuns: 100 },
    schedules: schedules.current,
    randomBytes: (count: number) => new Uint8Array(count).fill(7),
  };
}

beforeEach(async () => {
  schedules.current = new FailingSchedules();
  ports = makePorts();
  await ports.registry.createProject(ProjectSchema.parse({ id: 'shop', name: 'Shop', created_at: AT }));
  await ports.registry.putDatasetVersion({
    project: 'shop',
    id: 'faq',
    version: 'v1',
    status: 'ready',
    rows: 1,
    without_input: 0,
    faults: [],
    created_at: AT,
  });
});

const config = (more: Record<string, unknown> = {}) => ({
  name: 'faq',
  type: 'qa',
  dataset: 'faq',
  target: { url: 'https://bot.example.com/answer' },
  scorers: ['contains'],
  ...more,
});
const put = (more: Record<string, unknown> = {}): Promise<EvalVersion> =>
  putEval({ project: 'shop', raw: config(more), mode: 'put' }, ports);
const crons = async () =>
  (await ports.schedules.list()).map(({ eval: name, cron, timezone }) => `${name} ${cron} ${timezone}`);

describe('storing an eval keeps its schedule in step', () => {
  it('makes, changes and removes it', async () => {
    await put({ schedule: '0 2 * * *' });
    expect(await crons()).toEqual(['faq 0 2 * * * UTC']);
    await put({ schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' } });
    expect(await crons()).toEqual(['faq 0 3 * * * Europe/Berlin']);
    await put();
    expect(await crons()).toEqual([]);
  });

  it('an eval that is not active has none, and gets it back', async () => {
    await put({ schedule: '0 2 * * *', active: false });
    expect(await crons()).toEqual([]);
    await setEvalState({ project: 'shop', name: 'faq', active: true }, ports);
    expect(await crons()).toEqual(['faq 0 2 * * * UTC']);
    await setEvalState({ project: 'shop', name: 'faq', active: false }, ports);
    expect(await crons()).toEqual([]);
  });

  it('a quarantined eval keeps its own', async () => {
    await put({ schedule: '0 2 * * *', quarantined: true });
    expect(await crons()).toEqual(['faq 0 2 * * * UTC']);
  });

  it('a changed schedule is a new version with another hash', async () => {
    const first = await put({ schedule: '0 2 * * *' });
    const second = await put({ schedule: '0 3 * * *' });
    expect(second.version).toBe(2);
    expect(second.config_hash).not.toBe(first.config_hash);
  });

  it('an eval without one has the hash it always had', async () => {
    const plain = await put();
    expect(plain.config).not.toHaveProperty('schedule');
  });

  it('of two who store at once, what was stored last is what stands', async () => {
    await put({ schedule: '0 1 * * *' });
    // While the first brings its schedule in step, another stores and ends sooner.
    ports.schedules.meanwhile = async () => {
      await put({ schedule: '0 3 * * *' });
    };
    await put({ schedule: '0 2 * * *' });
    expect(await crons()).toEqual(['faq 0 3 * * * UTC']);
    expect((await ports.registry.getEval('shop', 'faq'))?.config.schedule?.cron).toBe('0 3 * * *');
  });

  it('one that is deleted in that moment leaves no schedule', async () => {
    ports.schedules.meanwhile = () => ports.registry.deleteEval('shop', 'faq');
    await put({ schedule: '0 2 * * *' });
    expect(await crons()).toEqual([]);
  });
});

describe('a schedule that cannot be made', () => {
  it('is told to the caller, whose eval is stored; the same call again makes it', async () => {
    ports.schedules.failures = 1;
    const stored = put({ schedule: '0 2 * * *' });
    await expect(stored).rejects.toThrow(ScheduleError);
    await expect(stored).rejects.toThrow(/eval "faq" is stored, its schedule is not in step yet/);
    expect((await ports.registry.getEval('shop', 'faq'))?.version).toBe(1);
    await put({ schedule: '0 2 * * *' });
    expect(await crons()).toEqual(['faq 0 2 * * * UTC']);
  });

  it('of a switch is made by the same switch again, without another version', async () => {
    await put({ schedule: '0 2 * * *', active: false });
    ports.schedules.failures = 1;
    const on = { project: 'shop', name: 'faq', active: true };
    await expect(setEvalState(on, ports)).rejects.toThrow(ScheduleError);
    expect((await setEvalState(on, ports)).version).toBe(2);
    expect(await crons()).toEqual(['faq 0 2 * * * UTC']);
  });

  it('is mended within the hour', async () => {
    ports.schedules.failures = 1;
    await put({ schedule: '0 2 * * *' }).catch(() => undefined);
    expect(await mendSchedules(ports)).toEqual({ scheduled: 1, mended: ['shop.faq'] });
    expect(await crons()).toEqual(['faq 0 2 * * * UTC']);
    expect(await mendSchedules(ports)).toEqual({ scheduled: 1, mended: [] });
  });
});

describe('an eval that never had a schedule', () => {
  it('is stored, switched and deleted without asking the service', async () => {
    ports.schedules.failures = 99;
    await put();
    await put({ concurrency: 9 });
    await setEvalState({ project: 'shop', name: 'faq', active: false }, ports);
    await deleteEval({ project: 'shop', name: 'faq' }, ports);
    expect(ports.schedules.failures).toBe(99);
    expect(await ports.registry.getEval('shop', 'faq')).toBeNull();
  });

  it('does ask while the version before it had one', async () => {
    await put({ schedule: '0 2 * * *' });
    ports.schedules.failures = 1;
    await expect(put()).rejects.toThrow(/is stored, its schedule is not in step yet: that is mended within the hour$/);
    expect(await crons()).toEqual(['faq 0 2 * * * UTC']);
    expect((await mendSchedules(ports)).mended).toEqual(['shop.faq']);
    expect(await crons()).toEqual([]);
  });
});

describe('deleting an eval', () => {
  it('removes its schedule first', async () => {
    await put({ schedule: '0 2 * * *' });
    await deleteEval({ project: 'shop', name: 'faq' }, ports);
    expect(await crons()).toEqual([]);
    expect(await ports.registry.getEval('shop', 'faq')).toBeNull();
  });

  it('deletes nothing while its schedule cannot be removed', async () => {
    await put({ schedule: '0 2 * * *' });
    ports.schedules.failures = 1;
    await expect(deleteEval({ project: 'shop', name: 'faq' }, ports)).rejects.toThrow(/is not deleted/);
    expect(await ports.registry.getEval('shop', 'faq')).not.toBeNull();
  });

  it('of a name that is none is told so', async () => {
    await expect(deleteEval({ project: 'shop', name: 'never' }, ports)).rejects.toThrow(NotFoundError);
  });
});

describe('mending', () => {
  it('removes what is left over and makes what is missing, and leaves alone what is in step', async () => {
    await put({ schedule: '0 2 * * *' });
    await put({ name: 'tone', schedule: '0 4 * * *' });
    await put({ name: 'plain' });
    await ports.schedules.put({ project: 'shop', eval: 'plain', cron: '0 5 * * *', timezone: 'UTC' });
    await ports.schedules.put({ project: 'gone', eval: 'faq', cron: '0 5 * * *', timezone: 'UTC' });
    await ports.schedules.put({ project: 'shop', eval: 'tone', cron: '0 5 * * *', timezone: 'UTC' });
    const report = await mendSchedules(ports);
    expect(report.scheduled).toBe(2);
    expect(report.mended.toSorted()).toEqual(['gone.faq', 'shop.plain', 'shop.tone']);
    expect((await crons()).toSorted()).toEqual(['faq 0 2 * * * UTC', 'tone 0 4 * * * UTC']);
  });

  it('makes again what was changed by hand', async () => {
    await put({ schedule: '0 2 * * *' });
    const listed = await ports.schedules.list();
    const touched = { ...ports, schedules: Object.assign(ports.schedules, {}) };
    const list = ports.schedules.list.bind(ports.schedules);
    let first = true;
    touched.schedules.list = async () => {
      const found = first ? listed.map((schedule) => ({ ...schedule, intact: false })) : await list();
      first = false;
      return found;
    };
    expect((await mendSchedules(touched)).mended).toEqual(['shop.faq']);
    expect((await mendSchedules(touched)).mended).toEqual([]);
  });
});

describe('a schedule that fires', () => {
  const event = (more: Partial<Parameters<typeof startScheduled>[0]> = {}) => ({
    project: 'shop',
    eval: 'faq',
    cron: '0 2 * * *',
    timezone: 'UTC',
    scheduled_at: AT,
    ...more,
  });
  const runs = async () => (await ports.registry.listRuns('shop', 'faq', { limit: 10 })).items;

  it('starts one run, triggered by the schedule, of no branch', async () => {
    await put({ schedule: '0 2 * * *' });
    const start = await startScheduled(event(), ports);
    expect(start.status).toBe('started');
    expect(await runs()).toMatchObject([{ triggered_by: 'schedule', ref: null, sha: null, eval_version: 1 }]);
    expect(ports.workflow.executions.size).toBe(1);
  });

  it('starts no second one for an event that comes twice, at once or later', async () => {
    await put({ schedule: '0 2 * * *' });
    const starts = await Promise.all([startScheduled(event(), ports), startScheduled(event(), ports)]);
    starts.push(await startScheduled(event({ scheduled_at: '2026-12-01T02:00:00.000Z' }), ports));
    expect(new Set(starts.map((start) => (start.status === 'started' ? start.gate.gate_run_id : '')))).toHaveLength(1);
    expect(await runs()).toHaveLength(1);
  });

  it('starts another for the next time', async () => {
    await put({ schedule: '0 2 * * *' });
    await startScheduled(event(), ports);
    await startScheduled(event({ scheduled_at: '2026-12-01T02:05:00Z' }), ports);
    expect(await runs()).toHaveLength(2);
  });

  it('finishes what a crash left undone', async () => {
    await put({ schedule: '0 2 * * *' });
    const { start } = ports.workflow;
    ports.workflow.start = () => Promise.reject(new Error('the Lambda died here'));
    await expect(startScheduled(event(), ports)).rejects.toThrow('died');
    ports.workflow.start = start;
    await startScheduled(event(), ports);
    expect(await runs()).toHaveLength(1);
    expect(ports.workflow.executions.size).toBe(1);
  });

  it('starts the newest version', async () => {
    await put({ schedule: '0 2 * * *' });
    await put({ schedule: '0 2 * * *', concurrency: 9 });
    await startScheduled(event(), ports);
    expect(await runs()).toMatchObject([{ eval_version: 2 }]);
  });

  it.each([
    { name: 'is not active', more: { active: false }, reason: 'not active' },
    { name: 'has no schedule any more', more: { schedule: undefined }, reason: 'no schedule any more' },
    { name: 'starts at other times now', more: { schedule: '0 3 * * *' }, reason: 'scheduled otherwise' },
    {
      name: 'starts by other clocks now',
      more: { schedule: { cron: '0 2 * * *', timezone: 'Asia/Tokyo' } },
      reason: 'otherwise',
    },
  ])('starts nothing where the eval $name', async ({ more, reason }) => {
    await put({ schedule: '0 2 * * *', ...more });
    const start = await startScheduled(event(), ports);
    expect(start).toMatchObject({ status: 'skipped', reason: expect.stringContaining(reason) });
    expect(await runs()).toEqual([]);
  });

  it('starts nothing where the eval is gone', async () => {
    expect(await startScheduled(event(), ports)).toMatchObject({ status: 'skipped' });
  });

  it('runs a quarantined eval, whose run decides nothing', async () => {
    await put({ schedule: '0 2 * * *', quarantined: true });
    await startScheduled(event(), ports);
    expect(await runs()).toMatchObject([{ quarantined: true }]);
  });

  it('starts nothing for an event that is sent again after deliveries are forgotten', async () => {
    await put({ schedule: '0 2 * * *' });
    const start = await startScheduled(event({ scheduled_at: '2026-11-30T02:00:00Z' }), ports);
    expect(start).toEqual({ status: 'skipped', reason: 'the event comes too late' });
  });

  it('refuses an event whose time the service did not write in', async () => {
    await put({ schedule: '0 2 * * *' });
    await expect(startScheduled(event({ scheduled_at: '<aws.scheduler.scheduled-time>' }), ports)).rejects.toThrow(
      TypeError,
    );
  });
});
