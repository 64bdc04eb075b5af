import { beforeEach, describe, expect, it } from 'vitest';
import type { ScheduledEval, Schedules } from '../../src/ports/schedules.ts';

/** `makeSchedules` gives an empty set each time. */
export function schedulesContract(name: string, makeSchedules: () => Promise<Schedules>): void {
  describe(`${name} as Schedules`, () => {
    let schedules: Schedules;
    beforeEach(async () => {
      schedules = await makeSchedules();
    });

    const nightly: ScheduledEval = { project: 'shop', eval: 'faq', cron: '0 2 * * *', timezone: 'Europe/Berlin' };
    const weekly: ScheduledEval = { project: 'shop', eval: 'tone', cron: '30 4 * * MON', timezone: 'UTC' };
    const listed = async () =>
      (await schedules.list()).toSorted((a, b) => `${a.project}.${a.eval}`.localeCompare(`${b.project}.${b.eval}`));

    it('lists nothing where nothing was put', async () => {
      expect(await schedules.list()).toEqual([]);
    });

    it('lists what was put, as it was put', async () => {
      await schedules.put(nightly);
      await schedules.put(weekly);
      expect(await listed()).toEqual([
        { ...nightly, intact: true },
        { ...weekly, intact: true },
      ]);
    });

    it('keeps one schedule an eval: the last that was put', async () => {
      await schedules.put(nightly);
      await schedules.put(nightly);
      const later = { ...nightly, cron: '0 3 * * *', timezone: 'UTC' };
      await schedules.put(later);
      expect(await schedules.list()).toEqual([{ ...later, intact: true }]);
    });

    it('removes one and leaves the others; removing it again changes nothing', async () => {
      await schedules.put(nightly);
      await schedules.put(weekly);
      await schedules.remove('shop', 'faq');
      await schedules.remove('shop', 'faq');
      await schedules.remove('shop', 'never');
      expect(await schedules.list()).toEqual([{ ...weekly, intact: true }]);
    });

    it('tells evals of one name in two projects apart, and names that run into each other', async () => {
      const twins = [
        { ...nightly, project: 'a', eval: 'b-c' },
        { ...nightly, project: 'a-b', eval: 'c' },
        { ...nightly, project: 'shop', eval: 'c' },
        { ...nightly, project: 'x'.repeat(63), eval: `${'y'.repeat(62)}1` },
        { ...nightly, project: 'x'.repeat(63), eval: `${'y'.repeat(62)}2` },
      ];
      for (const twin of twins) await schedules.put(twin);
      await schedules.remove('shop', 'c');
      expect((await listed()).map(({ project, eval: evalName }) => `${project}.${evalName}`)).toEqual(
        ['a-b.c', 'a.b-c', `${'x'.repeat(63)}.${'y'.repeat(62)}1`, `${'x'.repeat(63)}.${'y'.repeat(62)}2`].toSorted(
          (a, b) => a.localeCompare(b),
        ),
      );
    });

    it('lists more than a page of them', async () => {
      const many = Array.from({ length: 120 }, (_, index) => ({ ...nightly, eval: `e${index}` }));
      for (const scheduled of many) await schedules.put(scheduled);
      expect(new Set((await schedules.list()).map((schedule) => schedule.eval)).size).toBe(120);
    });

    it('ends with one of them where many put at once', async () => {
      const crons = Array.from({ length: 10 }, (_, hour) => `0 ${hour} * * *`);
      await Promise.all(crons.map((cron) => schedules.put({ ...nightly, cron })));
      const all = await schedules.list();
      expect(all).toHaveLength(1);
      expect(crons).toContain(all[0]?.cron);
      expect(all[0]?.intact).toBe(true);
    });
  });
}
