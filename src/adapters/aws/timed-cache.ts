import type { Clock } from '../../ports/clock.ts';

interface Entry<T> {
  readonly readAtMs: number;
  readonly value: Promise<T>;
}

/** Values kept for a while; callers that ask at once share one read; failures are not kept. */
export class TimedCache<T> {
  private readonly clock: Clock;
  private readonly keepMs: number;
  private readonly entries = new Map<string, Entry<T>>();

  constructor(clock: Clock, keepMs: number) {
    this.clock = clock;
    this.keepMs = keepMs;
  }

  /** The value no older than `maxAgeMs`, or read anew. */
  get(key: string, read: () => Promise<T>, maxAgeMs = this.keepMs): Promise<T> {
    const known = this.entries.get(key);
    const now = this.clock.monotonicMs();
    if (known !== undefined && now - known.readAtMs < Math.min(maxAgeMs, this.keepMs)) return known.value;
    const entry = { readAtMs: now, value: read() };
    this.entries.set(key, entry);
    entry.value.catch(() => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    });
    return entry.value;
  }

  forget(key: string): void {
    this.entries.delete(key);
  }
}
