import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunSlots, SlotLimits } from '../../src/ports/run-slots.ts';

const limits = (maxActive: number | null, maxWaiting = 100): SlotLimits => ({ maxActive, maxWaiting });
const ids = (count: number, prefix = 'r') => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

/** `makeSlots` gives empty slots each time. */
export function runSlotsContract(
  name: string,
  makeSlots: () => Promise<RunSlots>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as RunSlots`, () => {
    let slots: RunSlots;
    beforeEach(async () => {
      slots = await makeSlots();
    });
    afterAll(stop);

    it('has nothing of a project that had no run', async () => {
      expect(await slots.read('shop')).toEqual({ active: [], waiting: [] });
      expect(await slots.admitNext('shop', 1)).toBeNull();
      expect(await slots.leaveQueue('shop', 'r-1')).toBe(false);
      await slots.free('shop', 'r-1');
      expect(await slots.enter('shop', [], limits(0, 0))).toBe(true);
      expect(await slots.readAll()).toEqual([]);
    });

    it('gives slots up to the limit, then places in the queue in the order of the calls', async () => {
      for (const runId of ['a', 'b', 'd', 'c']) expect(await slots.enter('shop', [runId], limits(2))).toBe(true);
      expect(await slots.read('shop')).toEqual({ active: ['a', 'b'], waiting: ['d', 'c'] });
    });

    it('takes the runs of one call together: where not all find a slot, all wait', async () => {
      await slots.enter('shop', ['a'], limits(2));
      await slots.enter('shop', ['b', 'c'], limits(2));
      expect(await slots.read('shop')).toEqual({ active: ['a'], waiting: ['b', 'c'] });
      expect(await slots.admitNext('shop', 2)).toBe('b');
      expect(await slots.admitNext('shop', 2)).toBeNull();
    });

    it('lets nobody pass those who wait, although a slot is free', async () => {
      await slots.enter('shop', ['a', 'b'], limits(1));
      await slots.enter('shop', ['c'], limits(1));
      expect(await slots.read('shop')).toEqual({ active: [], waiting: ['a', 'b', 'c'] });
    });

    it('counts a run once that comes again, wherever it is by then', async () => {
      for (let call = 0; call < 2; call += 1) {
        await slots.enter('shop', ['a'], limits(1));
        await slots.enter('shop', ['b', 'c'], limits(1));
      }
      expect(await slots.read('shop')).toEqual({ active: ['a'], waiting: ['b', 'c'] });
      await slots.take('shop', 'a');
      expect((await slots.read('shop')).active).toEqual(['a']);
    });

    it('refuses a call, all of it, while the queue is full', async () => {
      await slots.enter('shop', ['a'], limits(1, 2));
      await slots.enter('shop', ['b', 'c', 'd'], limits(1, 2)); // fewer than two wait: it may join
      expect(await slots.enter('shop', ['e'], limits(1, 2))).toBe(false);
      expect(await slots.enter('shop', ['b'], limits(1, 2))).toBe(true); // it is in already
      expect(await slots.read('shop')).toEqual({ active: ['a'], waiting: ['b', 'c', 'd'] });
      expect(await slots.enter('bank', ['x', 'y'], limits(1, 0))).toBe(false);
      expect(await slots.enter('bank', ['x'], limits(1, 0))).toBe(true);
    });

    it('admits the first who waits when a slot is freed, and the next as the limit grows', async () => {
      await slots.enter('shop', ['a'], limits(1));
      await slots.enter('shop', ['b', 'c', 'd'], limits(1));
      expect(await slots.admitNext('shop', 1)).toBeNull();
      await slots.free('shop', 'a');
      await slots.free('shop', 'a');
      expect(await slots.admitNext('shop', 1)).toBe('b');
      expect(await slots.admitNext('shop', 1)).toBeNull();
      expect(await slots.admitNext('shop', 2)).toBe('c');
      expect(await slots.admitNext('shop', null)).toBe('d');
      expect(await slots.read('shop')).toEqual({ active: ['b', 'c', 'd'], waiting: [] });
    });

    it('takes one who waits out of the queue, and leaves one who is active', async () => {
      await slots.enter('shop', ['a'], limits(1));
      await slots.enter('shop', ['b', 'c', 'd'], limits(1));
      expect(await slots.leaveQueue('shop', 'c')).toBe(true);
      expect(await slots.leaveQueue('shop', 'c')).toBe(false);
      expect(await slots.leaveQueue('shop', 'a')).toBe(false);
      expect(await slots.read('shop')).toEqual({ active: ['a'], waiting: ['b', 'd'] });
    });

    it('gives a slot beyond the limit to a run that runs already, and counts it', async () => {
      await slots.enter('shop', ['a'], limits(1));
      await slots.take('shop', 'b');
      expect((await slots.read('shop')).active).toEqual(['a', 'b']);
      await slots.enter('shop', ['c'], limits(2));
      await slots.free('shop', 'a');
      expect(await slots.admitNext('shop', 1)).toBeNull();
      expect(await slots.admitNext('shop', 2)).toBe('c');
    });

    it('keeps projects apart and lists them', async () => {
      await slots.enter('shop', ['a'], limits(1));
      await slots.enter('shop-2', ['b'], limits(1));
      await slots.enter('shop', ['c'], limits(1));
      const all = [...(await slots.readAll())].sort((x, y) => (x.project < y.project ? -1 : 1));
      expect(all).toEqual([
        { project: 'shop', active: ['a'], waiting: ['c'] },
        { project: 'shop-2', active: ['b'], waiting: [] },
      ]);
    });

    it('admits no more than the limit of many who come at once, and loses none', async () => {
      const calls = ids(30).map((runId) => slots.enter('shop', [runId], limits(3)));
      expect(await Promise.all(calls)).toEqual(Array(30).fill(true));
      const { active, waiting } = await slots.read('shop');
      expect(active).toHaveLength(3);
      expect([...active, ...waiting].sort()).toEqual(ids(30).sort());
    });

    it('of many who admit at once, lets each slot go to one run and each run have one', async () => {
      await slots.enter('shop', ids(12), limits(0));
      const admitted = await Promise.all(Array.from({ length: 20 }, () => slots.admitNext('shop', 5)));
      const got = admitted.filter((runId) => runId !== null);
      expect(got).toHaveLength(5);
      expect(new Set(got)).toEqual(new Set(ids(12).slice(0, 5)));
      expect(await slots.read('shop')).toEqual({ active: [...got].sort(), waiting: ids(12).slice(5) });
    });

    it('of the same call made many times at once, takes one', async () => {
      const calls = Array.from({ length: 10 }, () => slots.enter('shop', ['a', 'b'], limits(1)));
      expect(await Promise.all(calls)).toEqual(Array(10).fill(true));
      expect(await slots.read('shop')).toEqual({ active: [], waiting: ['a', 'b'] });
    });

    it('holds under any mix of calls at once: never above the limit, no run in two places, none lost', async () => {
      const step = fc.record({
        call: fc.constantFrom('enter', 'admit', 'free', 'leave'),
        run: fc.integer({ min: 0, max: 7 }),
      });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.integer({ min: 1, max: 3 }), async (steps, limit) => {
          round += 1;
          const project = `p${round}`;
          const gone = new Set<string>();
          const entered = new Set<string>();
          await Promise.all(
            steps.map(async ({ call, run }) => {
              const runId = `r-${run}`;
              if (call === 'enter') {
                entered.add(runId);
                await slots.enter(project, [runId], limits(limit));
              } else if (call === 'admit') await slots.admitNext(project, limit);
              else {
                gone.add(runId);
                await (call === 'free' ? slots.free(project, runId) : slots.leaveQueue(project, runId));
              }
            }),
          );
          const { active, waiting } = await slots.read(project);
          expect(active.length).toBeLessThanOrEqual(limit);
          expect(new Set([...active, ...waiting]).size).toBe(active.length + waiting.length);
          const inside = [...active, ...waiting];
          for (const runId of entered) if (!gone.has(runId)) expect(inside).toContain(runId);
        }),
        { numRuns: 30 },
      );
    });
  });
}
