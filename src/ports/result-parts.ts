import type { RowResult } from '../core/schemas/result.ts';
import type { ResultReader } from './run-store.ts';

export interface RunRef {
  readonly runId: string;
  readonly project: string;
  /** ISO time; its UTC date is the partition. */
  readonly startedAt: string;
}

/** JSON texts without line feeds. */
export type Lines = AsyncIterable<string> | Iterable<string>;

/**
 * Results of a run in parts, one a batch: `results/dt=…/project=…/run=…/part-<first row, 8 digits>.jsonl.gz`.
 * A part is always rewritten whole, so a batch that is delivered twice leaves one part.
 */
export interface ResultParts {
  /** One line a result, whatever the texts hold. Returns the part's name. */
  write(run: RunRef, firstIndex: number, results: readonly RowResult[]): Promise<string>;
  /** Null when the part does not exist. */
  read(run: RunRef, firstIndex: number): Promise<readonly RowResult[] | null>;
  reader(run: RunRef): ResultReader;
  /** What a finished run adds to a table beside its results: `tables/<table>/dt=…/<run>.jsonl.gz`, rewritten whole. */
  writeTable(run: RunRef, table: 'runs' | 'row_outcomes', lines: Lines): Promise<void>;
}
