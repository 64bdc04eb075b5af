import type { CompactRequest } from '../core/schemas/compaction.ts';

/** Hands a finished run to `compact-run` without waiting for it. The same request may come twice. */
export interface RunCompaction {
  /** Throws StorageError where the hand-over fails after its retries. */
  start(request: CompactRequest): Promise<void>;
}
