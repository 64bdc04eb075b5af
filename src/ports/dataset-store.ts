import type { ByteChunks } from './run-store.ts';

/** Normalised datasets (`datasets/<project>/<dataset>/<version>.jsonl`) and raw uploads that wait to become one. */
export interface DatasetStore {
  write(project: string, dataset: string, version: string, lines: AsyncIterable<string>): Promise<void>;
  read(project: string, dataset: string, version: string): Promise<ByteChunks | null>;
  delete(project: string, dataset: string): Promise<void>;
  /** Opens an upload of `sizeBytes` in parts of 8 MiB; the URLs take one PUT each. */
  openUpload(project: string, uploadId: string, sizeBytes: number): Promise<{ partUrls: readonly string[] }>;
  completeUpload(project: string, uploadId: string): Promise<void>;
  readUpload(project: string, uploadId: string): Promise<ByteChunks | null>;
  deleteUpload(project: string, uploadId: string): Promise<void>;
}
