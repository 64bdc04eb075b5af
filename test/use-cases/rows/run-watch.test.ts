import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/core/errors.ts';
import { CutOff, cutOffCause } from '../../../src/use-cases/rows/cut-off.ts';
import { RunGuard } from '../../../src/use-cases/rows/run-guard.ts';
import { GRACE_MS, type WatchOptions, watchRun } from '../../../src/use-cases/rows/run-watch.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const CANCELLED = { cause: 'cancelled', why: 'cancelled' } as const;

/** Watches rows that end when they are cut off, or by themselves after `rowsMs`. Gives when that was, and why. */
async function watch(options: Partial<WatchOptions> & { rowsMs?: number }) {
  const clock = new VirtualClock();
  const guard = new RunGuard(['http'], { deadlineMs: null });
  const cutOff = new CutOff();
  const { rowsMs = 10_000_000, ...more } = options;
  const end = watchRun({ guard, cutOff, clock, deadlineMs: Number.POSITIVE_INFINITY, ...more });
  const rows = clock.sleep(rowsMs, cutOff.signal).catch(() => undefined);
  await clock.run(rows);
  const endedMs = clock.now();
  await end();
  return { endedMs, stopped: guard.stopped, cut: cutOffCause(cutOff.signal) };
}

describe('rows in flight', () => {
  it('end by themselves where nothing stops the run', async () => {
    const looks: number[] = [];
    const found = await watch({
      rowsMs: 60_000,
      stoppedElsewhere: async () => {
        looks.push(1);
        return null;
      },
    });
    expect(found).toEqual({ endedMs: 60_000, stopped: null, cut: null });
    expect(looks.length).toBeGreaterThanOrEqual(12);
  });

  it('are cut off within 5 s of a cancel', async () => {
    let looks = 0;
    const found = await watch({ stoppedElsewhere: async () => (++looks === 4 ? CANCELLED : null) });
    expect(found.endedMs).toBeLessThanOrEqual(4 * 5_000);
    expect(found).toMatchObject({ stopped: CANCELLED, cut: 'cancelled' });
  });

  it.each([
    { name: 'asked about cancelling', stoppedElsewhere: async () => null },
    { name: 'on their own', stoppedElsewhere: undefined },
  ])('$name, are cut off half a minute after the time budget', async ({ stoppedElsewhere }) => {
    const found = await watch({ deadlineMs: 50_000, ...(stoppedElsewhere && { stoppedElsewhere }) });
    expect(found).toEqual({
      endedMs: 50_000 + GRACE_MS,
      stopped: { cause: 'time budget', why: 'time budget reached' },
      cut: 'time budget',
    });
  });

  it('of a run whose budget ran out long ago are cut off at once', async () => {
    expect(await watch({ deadlineMs: -100_000 })).toMatchObject({ endedMs: 0, cut: 'time budget' });
  });

  it('are not hurt by a look that fails', async () => {
    let looks = 0;
    const found = await watch({
      stoppedElsewhere: async () => {
        looks += 1;
        if (looks < 3) throw new StorageError('throttled');
        return CANCELLED;
      },
    });
    expect(found.cut).toBe('cancelled');
  });

  it('tell of a bug in the look when they have ended', async () => {
    const broken = watch({ rowsMs: 20_000, stoppedElsewhere: () => Promise.reject(new TypeError('a bug')) });
    await expect(broken).rejects.toThrow('a bug');
  });
});
