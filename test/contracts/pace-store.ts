import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { lowerPace, type Pace, takeSlots } from '../../src/core/pace/pace.ts';
import type { PaceStore } from '../../src/ports/pace-store.ts';

const NOW = Date.UTC(2026, 10, 30, 10);

/** `makeStore` gives an empty store each time, and a second process's view of it. */
export function paceStoreContract(
  name: string,
  makeStore: () => Promise<readonly [PaceStore, PaceStore]>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as PaceStore`, () => {
    let store: PaceStore;
    let elsewhere: PaceStore;
    beforeEach(async () => {
      [store, elsewhere] = await makeStore();
    });
    afterAll(stop);

    const pace = lowerPace(null, { nowMs: NOW, issuedMs: null, sentPerSecond: 20, holdMs: null });
    const put = (to: PaceStore, key: string, value: Pace) => to.update(key, () => ({ pace: value, result: null }));
    const get = (from: PaceStore, key: string) => from.update(key, (found) => ({ pace: null, result: found }));

    it('knows no pace at first', async () => {
      expect(await get(store, 'model:us-east-1:a')).toBeNull();
    });

    it('gives every process what one of them put', async () => {
      await put(store, 'model:us-east-1:a', pace);
      expect(await get(elsewhere, 'model:us-east-1:a')).toEqual(pace);
    });

    it('keeps keys apart, odd ones too', async () => {
      const odd = [
        'model:us-east-1:a',
        'model:us-east-1:b',
        'resource:arn:aws:lambda:x:1:function:f',
        'a#b/ü 💥',
        'PACE',
      ];
      await Promise.all(odd.map((key, at) => put(store, key, { ...pace, rate: at + 1 })));
      for (const [at, key] of odd.entries()) expect(await get(elsewhere, key)).toMatchObject({ rate: at + 1 });
    });

    it('leaves a pace as it was where the change gives none', async () => {
      await put(store, 'a', pace);
      expect(await store.update('a', () => ({ pace: null, result: 7 }))).toBe(7);
      expect(await get(store, 'a')).toEqual(pace);
    });

    it('lets no change come between what a change saw and what it wrote', async () => {
      await put(store, 'a', pace);
      const changes = Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? store : elsewhere).update('a', (found) => {
          const before = found ?? pace;
          return { pace: { ...before, rate: before.rate + 1 }, result: before.rate };
        }),
      );
      const seen = await Promise.all(changes);
      expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => pace.rate + at));
      expect(await get(store, 'a')).toMatchObject({ rate: pace.rate + 20 });
    });

    it('gives each slot to one process', async () => {
      const takes = Array.from({ length: 12 }, (_, at) =>
        (at % 2 === 0 ? store : elsewhere).update('a', (found) => {
          const taken = takeSlots(found ?? pace, { nowMs: NOW, wanted: 1, answered: 0, answeredMs: null });
          return { pace: taken.pace, result: taken.slots };
        }),
      );
      const slots = (await Promise.all(takes)).flat();
      expect(new Set(slots).size).toBe(12);
    });

    it('halves once where all processes report the same wave', async () => {
      await put(store, 'a', pace);
      await Promise.all(
        [store, elsewhere, store, elsewhere].map((reporter) =>
          reporter.update('a', (found) => {
            const throttle = { nowMs: NOW + 50, issuedMs: NOW + 10, sentPerSecond: 20, holdMs: null };
            return { pace: lowerPace(found, throttle), result: null };
          }),
        ),
      );
      expect(await get(store, 'a')).toMatchObject({ rate: pace.rate / 2 });
    });

    it('fails with what the change throws, and writes nothing', async () => {
      await put(store, 'a', pace);
      const failing = store.update('a', () => {
        throw new RangeError('no');
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect(await get(store, 'a')).toEqual(pace);
    });
  });
}
