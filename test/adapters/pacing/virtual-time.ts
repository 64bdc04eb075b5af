import type { Clock } from '../../../src/ports/clock.ts';

/** Time that jumps to the next one who sleeps once everybody does. */
export class VirtualTime implements Clock {
  static readonly START = Date.UTC(2026, 10, 30, 12);
  #nowMs = VirtualTime.START;
  #sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }
  monotonicMs(): number {
    return this.#nowMs;
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      this.#sleepers.push({ atMs: this.#nowMs + ms, wake: resolve });
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  /** Lets time pass until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const settled = work.finally(() => {
      isDone = true;
    });
    settled.catch(() => {});
    while (!isDone) {
      await settle();
      if (!isDone) this.#wakeNext(Number.POSITIVE_INFINITY);
    }
    return settled;
  }

  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settle();
    while (this.#wakeNext(endMs)) await settle();
    this.#nowMs = endMs;
  }

  #wakeNext(untilMs: number): boolean {
    this.#sleepers.sort((a, b) => a.atMs - b.atMs);
    const next = this.#sleepers[0];
    if (next === undefined || next.atMs > untilMs) return false;
    this.#sleepers.shift();
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.wake();
    return true;
  }
}

/** Everything that can go on without time does. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
