import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/adapters/system-clock.ts';

describe('systemClock', () => {
  it('sleeps', async () => {
    await expect(systemClock.sleep(0)).resolves.toBeUndefined();
    await expect(systemClock.sleep(0, new AbortController().signal)).resolves.toBeUndefined();
  });

  it('wakes with the reason of the signal, before and while it sleeps', async () => {
    const reason = new Error('the run was stopped');
    await expect(systemClock.sleep(0, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const sleeping = systemClock.sleep(600_000, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });

  it('gives whole milliseconds since 1970, and durations that never go back', () => {
    expect(Number.isInteger(systemClock.now())).toBe(true);
    const before = systemClock.monotonicMs();
    expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(before);
  });
});
