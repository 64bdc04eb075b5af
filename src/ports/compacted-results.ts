import type { RunRef } from './result-parts.ts';
import type { ByteChunks } from './run-store.ts';

/** Result parts that one file was made of: from the first row of the first to that of the last. */
export interface PartRange {
  readonly fromPart: number;
  readonly toPart: number;
}

export interface StagedFile extends PartRange {
  readonly rows: number;
  readonly bytes: number;
}

/**
 * A finished run's results as a few large files, a table of its own beside the parts. Files are staged where no query
 * looks and published together, so that a run is there whole or hardly at all.
 */
export interface CompactedResults {
  /** Uncompressed JSONL of each part of the run after part `after`, in row order. */
  parts(run: RunRef, after: number): AsyncIterable<{ readonly part: number; readonly lines: ByteChunks }>;
  /** What is staged, in row order; files of attempts that ran side by side may overlap. */
  staged(run: RunRef): Promise<readonly StagedFile[]>;
  stage(run: RunRef, range: PartRange & { readonly rows: number }, file: Uint8Array): Promise<void>;
  /** These staged files become the run's, in place of all former ones; nothing stays staged. */
  publish(run: RunRef, files: readonly StagedFile[]): Promise<void>;
}
