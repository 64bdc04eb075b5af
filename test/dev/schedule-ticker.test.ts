import { expect, it } from 'vitest';
import { MemorySchedules } from '../../src/adapters/memory/memory-schedules.ts';
import type { ScheduledEvent } from '../../src/core/schemas/schedule.ts';
import { ScheduleTicker } from '../../src/dev/schedule-ticker.ts';

async function start(at: string) {
  const clock = { ms: Date.parse(at), now: () => clock.ms };
  const fired: ScheduledEvent[] = [];
  const schedules = new MemorySchedules();
  await schedules.put({ project: 'shop', eval: 'faq', cron: '*/5 2 * * *', timezone: 'UTC' });
  const ticker = new ScheduleTicker({ schedules, clock, fire: async (event) => fired.push(event) });
  const look = async (when: string) => {
    clock.ms = Date.parse(when);
    return (await ticker.tick()).map(({ scheduled_at }) => scheduled_at);
  };
  return { look, fired, ticker, clock, schedules };
}

it('fires what became due since the last look, each time once', async () => {
  const { look, fired } = await start('2026-12-01T01:59:00Z');
  expect(await look('2026-12-01T01:59:59Z')).toEqual([]);
  expect(await look('2026-12-01T02:00:00Z')).toEqual(['2026-12-01T02:00:00Z']);
  expect(await look('2026-12-01T02:00:05Z')).toEqual([]);
  expect(await look('2026-12-01T02:10:01Z')).toEqual(['2026-12-01T02:05:00Z', '2026-12-01T02:10:00Z']);
  expect(fired).toHaveLength(3);
  expect(fired[0]).toEqual({
    project: 'shop',
    eval: 'faq',
    cron: '*/5 2 * * *',
    timezone: 'UTC',
    scheduled_at: '2026-12-01T02:00:00Z',
  });
});

it('does not fire what was due before it was there', async () => {
  const { look } = await start('2026-12-01T02:31:00Z');
  expect(await look('2026-12-01T02:34:00Z')).toEqual([]);
});

it('fires no more than an hour of what it slept through', async () => {
  const { look } = await start('2026-12-01T00:00:00Z');
  expect(await look('2026-12-01T03:45:00Z')).toEqual(['2026-12-01T02:50:00Z', '2026-12-01T02:55:00Z']);
});

it('fires nothing twice when two looks overlap or the clock is set back', async () => {
  const { ticker, clock, look } = await start('2026-12-01T01:59:00Z');
  clock.ms = Date.parse('2026-12-01T02:00:00Z');
  const both = await Promise.all([ticker.tick(), ticker.tick()]);
  expect(both.flat()).toHaveLength(1);
  expect(await look('2026-12-01T01:59:58Z')).toEqual([]);
});

it('fires nothing of a schedule that is gone', async () => {
  const { schedules, look } = await start('2026-12-01T01:59:00Z');
  await schedules.remove('shop', 'faq');
  expect(await look('2026-12-01T02:30:00Z')).toEqual([]);
});
