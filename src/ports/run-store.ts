/** Names of the files of a run, the same in S3 and under `.assay/runs/<run>/`. */
export type RunFile =
  | 'config.json'
  | 'rows.jsonl'
  | 'canaries.json'
  | 'outcomes.jsonl.gz'
  | 'summary.json'
  | 'report.html'
  | 'junit.xml';

export type ByteChunks = AsyncIterable<Uint8Array>;

/** Files of one project's runs. Throws StorageError where the medium fails. */
export interface RunStore {
  /** Writes a whole file, atomically: readers see the old content or the new one. */
  write(runId: string, file: RunFile, body: string | Uint8Array | AsyncIterable<string | Uint8Array>): Promise<void>;
  /** Null when the file does not exist. */
  read(runId: string, file: RunFile): Promise<ByteChunks | null>;
  /**
   * At most `count` lines from byte `offset` on, which is the start of a line, without their line feeds; reads no
   * further than it must. Fewer at the end of the file; null when the file does not exist.
   */
  readLines(runId: string, file: RunFile, from: { offset: number; count: number }): Promise<readonly string[] | null>;
  /** For people: where the file lies (path or s3 URI). */
  locate(runId: string, file: RunFile): string;
}

/** Result lines of one run, whatever they lie in (one file, or parts in S3). */
export interface ResultReader {
  /** Uncompressed JSONL, in chunks that may cut lines anywhere. */
  read(runId: string): AsyncIterable<ByteChunks>;
}
