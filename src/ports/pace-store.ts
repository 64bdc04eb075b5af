import type { Pace } from '../core/pace/pace.ts';

/** Paces that several processes keep together, one a key. */
export interface PaceStore {
  /**
   * Changes the pace under the key as one step: nobody else's change comes between what `change` sees and what it gives.
   * It may be called several times, and only its last result counts; what is given as null is left as it was.
   * Throws StorageError where the pace cannot be read or written.
   */
  update<T>(key: string, change: (pace: Pace | null) => { readonly pace: Pace | null; readonly result: T }): Promise<T>;
}
