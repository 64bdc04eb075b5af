import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { calibrationOf } from '../../src/core/calibration/calibration-of.ts';
import { sha256Hex } from '../../src/core/json.ts';
import type { Calibration, CalibrationEvidence } from '../../src/core/schemas/calibration.ts';
import type { Calibrations } from '../../src/ports/calibrations.ts';
import { HOSTILE_TEXTS } from './samples.ts';

export const judgeHashOf = (of: string): string => sha256Hex(of);

/** κ .4: 25 good answers, of which the judge passes 20, and 25 bad ones, of which it fails 15. */
export const EVIDENCE: CalibrationEvidence = {
  judge_hash: judgeHashOf('a'),
  judges: ['model-a'],
  eval: 'faq',
  metric: 'judge',
  mark: 0.5,
  date: '2026-11-30T12:00:00.000Z',
  label_policy: '2026-01',
  dataset: { id: 'labels', version: 'v1' },
  not_judged: 1,
  confusion: {
    labels: ['fail', 'pass'],
    counts: [
      [15, 10],
      [5, 20],
    ],
  },
  judged_only: { judged: 10, passed: 6 },
};

export const calibrationAt = (date: string, more: Partial<CalibrationEvidence> = {}): Calibration =>
  calibrationOf({ ...EVIDENCE, date, ...more });

const EARLIER = '2026-11-01T00:00:00.000Z';
const LATER = '2026-11-30T00:00:00.000Z';

/** `make` gives an empty store each time. */
export function calibrationsContract(
  name: string,
  make: () => Promise<Calibrations>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as Calibrations`, () => {
    let store: Calibrations;
    beforeEach(async () => {
      store = await make();
    });
    afterAll(stop);

    it('knows no judge that was not put', async () => {
      await store.put(calibrationAt(LATER));
      expect(await store.find(judgeHashOf('b'))).toBeNull();
    });

    it('is empty at first', async () => {
      expect(await store.list()).toEqual([]);
    });

    it('gives back what was put, each judge under its own hash', async () => {
      const all = HOSTILE_TEXTS.filter((text) => text !== '').map((text, of) =>
        calibrationAt(LATER, {
          judge_hash: judgeHashOf(String(of)),
          label_policy: `p ${text}`.slice(0, 500),
          judges: [`j ${text}`.slice(0, 300)],
        }),
      );
      await Promise.all(all.map((one) => store.put(one)));
      for (const one of all) expect(await store.find(one.judge_hash)).toEqual(JSON.parse(JSON.stringify(one)));
      expect(await store.list()).toHaveLength(all.length);
    });

    it('keeps who pushed it', async () => {
      const pushed = { by: 'token ci', at: LATER };
      await store.put({ ...calibrationAt(LATER), pushed });
      expect((await store.find(EVIDENCE.judge_hash))?.pushed).toEqual(pushed);
    });

    it('keeps undefined figures as what they are', async () => {
      const counts = [
        [0, 0],
        [0, 0],
      ];
      const none = calibrationAt(LATER, { confusion: { labels: ['fail', 'pass'], counts } });
      expect(none.kappa).toBeNull();
      await store.put(none);
      expect(await store.find(EVIDENCE.judge_hash)).toEqual(none);
    });

    it('replaces an older one', async () => {
      expect(await store.put(calibrationAt(EARLIER, { label_policy: 'old' }))).toBe(true);
      expect(await store.put(calibrationAt(LATER, { label_policy: 'new' }))).toBe(true);
      expect((await store.find(EVIDENCE.judge_hash))?.label_policy).toBe('new');
      expect(await store.list()).toHaveLength(1);
    });

    it('keeps a newer one, and says so', async () => {
      await store.put(calibrationAt(LATER, { label_policy: 'new' }));
      expect(await store.put(calibrationAt(EARLIER, { label_policy: 'old' }))).toBe(false);
      expect((await store.find(EVIDENCE.judge_hash))?.label_policy).toBe('new');
    });

    it('compares times, not how they are written', async () => {
      // 01:00 at UTC+2 is 23:00 of the day before.
      await store.put(calibrationAt('2026-11-30T01:00:00+02:00', { label_policy: 'first' }));
      expect(await store.put(calibrationAt('2026-11-29T23:30:00Z', { label_policy: 'second' }))).toBe(true);
      expect(await store.put(calibrationAt('2026-11-30T01:15:00+02:00', { label_policy: 'third' }))).toBe(false);
      expect((await store.find(EVIDENCE.judge_hash))?.label_policy).toBe('second');
    });

    it('takes the same one twice', async () => {
      expect(await store.put(calibrationAt(LATER))).toBe(true);
      expect(await store.put(calibrationAt(LATER))).toBe(true);
    });

    it('lists the newest first', async () => {
      const dates = ['2026-11-02T00:00:00.000Z', '2026-11-04T00:00:00.000Z', '2026-11-03T00:00:00.000Z'];
      for (const [at, date] of dates.entries())
        await store.put(calibrationAt(date, { judge_hash: judgeHashOf(String(at)) }));
      expect((await store.list()).map(({ date }) => date)).toEqual([dates[1], dates[2], dates[0]]);
    });

    it('is whole when many write at once', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, writer) => store.put(calibrationAt(LATER, { label_policy: `${writer}` }))),
      );
      expect(await store.find(EVIDENCE.judge_hash)).toMatchObject({ labels: 50, date: LATER });
    });
  });
}
