import type { IngestRequest } from '../core/schemas/ingest.ts';

/** Hands a complete upload to `ingest-dataset` without waiting for it. The same request may come twice. */
export interface DatasetIngestion {
  /** Throws StorageError where the hand-over fails after its retries. */
  start(request: IngestRequest): Promise<void>;
}
