import type { Clock } from '../../src/ports/clock.ts';

/** A clock whose sleeps end at once and are kept for inspection. */
export class InstantClock implements Clock {
  readonly slept: number[] = [];
  #now = Date.parse('2026-11-30T12:00:00Z');

  now(): number {
    return this.#now;
  }
  monotonicMs(): number {
    return this.#now;
  }
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.#now += ms;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
