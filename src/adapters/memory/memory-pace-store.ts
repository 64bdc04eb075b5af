import type { Pace } from '../../core/pace/pace.ts';
import type { PaceStore } from '../../ports/pace-store.ts';

/** Paces of one process. */
export class MemoryPaceStore implements PaceStore {
  private readonly paces = new Map<string, Pace>();

  async update<T>(
    key: string,
    change: (pace: Pace | null) => { readonly pace: Pace | null; readonly result: T },
  ): Promise<T> {
    const { pace, result } = change(this.paces.get(key) ?? null);
    if (pace !== null) this.paces.set(key, pace);
    return result;
  }
}
