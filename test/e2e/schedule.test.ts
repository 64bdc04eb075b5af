import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/adapters/system-clock.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

/** Goes on as the machine's does, from wherever it is set to. */
class ShiftedClock implements Clock {
  private shiftMs = 0;
  setTo(time: string): void {
    this.shiftMs = Date.parse(time) - Date.now();
  }
  now(): number {
    return systemClock.now() + this.shiftMs;
  }
  monotonicMs(): number {
    return systemClock.monotonicMs();
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }
}

describe('assay dev starts an eval at its time', { timeout: 60_000 }, () => {
  let target: StubTarget;
  let folder: string;
  let clock: ShiftedClock;
  beforeAll(async () => {
    target = await startStubTarget((question) => ({ answer: rightAnswer(question) }));
  });
  afterAll(() => target.close());
  beforeEach(async () => {
    target.reset();
    clock = new ShiftedClock();
    clock.setTo('2026-12-07T00:58:00Z');
    folder = await mkdtemp(join(tmpdir(), 'assay-schedule-'));
    return () => rm(folder, { recursive: true, force: true });
  });

  const start = () => Cloud.start({ folder, clock });
  // 02:00 in Berlin is 01:00 UTC in December; a Monday.
  const schedule = { cron: '0 2 * * MON', timezone: 'Europe/Berlin' };

  async function scheduled(cloud: Cloud, more: Record<string, unknown> = {}): Promise<string> {
    const project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(9));
    await cloud.putEval(project, qaEval(target.url, { schedule, ...more }));
    return project;
  }
  const runsOf = async (cloud: Cloud, project: string) =>
    (await cloud.stack.ports.registry.listRuns(project, 'faq', { limit: 10 })).items;

  it('once, triggered by the schedule; an event that comes again starts no second run', async () => {
    const cloud = await start();
    try {
      const project = await scheduled(cloud);
      const { body } = await cloud.call('GET', `/api/evals/${project}.faq`);
      expect(body).toMatchObject({ next_run_at: '2026-12-07T01:00:00.000Z' });
      expect(await cloud.stack.ticker.tick()).toEqual([]);

      clock.setTo('2026-12-07T01:00:02Z');
      const [event] = await cloud.stack.ticker.tick();
      expect(event).toEqual({ project, eval: 'faq', ...schedule, scheduled_at: '2026-12-07T01:00:00Z' });
      expect(await cloud.stack.host.deliver('start-scheduled', event)).toBe(true);

      const [run, ...others] = await runsOf(cloud, project);
      expect(others).toEqual([]);
      await cloud.stack.workflow.settled(run?.run_id ?? '');
      const read = await cloud.call('GET', `/api/runs/${run?.run_id}`);
      expect(read.body).toMatchObject({ status: 'passed', gate: 'pass', triggered_by: 'schedule', ref: null });
      expect([...target.calls.values()]).toEqual(Array(9).fill(1));
    } finally {
      await cloud.stack.close();
    }
  });

  it('also after it was started anew, and not while the eval is switched off', async () => {
    const first = await start();
    const project = await scheduled(first);
    await first.stack.close();
    const second = await start();
    try {
      await second.call('PUT', `/api/evals/${project}.faq/state`, { active: false });
      clock.setTo('2026-12-07T01:01:00Z');
      expect(await second.stack.ticker.tick()).toEqual([]);
      await second.call('PUT', `/api/evals/${project}.faq/state`, { active: true });
      clock.setTo('2026-12-14T01:01:00Z');
      expect(await second.stack.ticker.tick()).toMatchObject([{ scheduled_at: '2026-12-14T01:00:00Z' }]);
      const runs = await runsOf(second, project);
      expect(runs).toHaveLength(1);
      await second.stack.workflow.settled(runs[0]?.run_id ?? '');
    } finally {
      await second.stack.close();
    }
  });
});
