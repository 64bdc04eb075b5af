import type { RowResult } from '../core/schemas/result.ts';
import type { Page } from './registry.ts';

/** A result as a list shows it: long texts cut, `truncated` true where one was. */
export type IndexedResult = Omit<RowResult, 'trajectory'> & { readonly truncated: boolean; readonly part: string };

/** Row results without long text, for paging through a run. The parts in the result store are the truth. */
export interface RowIndex {
  /** Repeatable: keyed by (run, row, target, trial, phase). `part` names the part that holds the whole result. */
  put(runId: string, part: string, results: readonly RowResult[]): Promise<void>;
  /** In row order, from the row `fromIndex` on; with `failedOnly`, only results that did not pass. The cursor wins over `fromIndex`, is opaque and bound to the run. Throws InvalidCursorError. */
  list(
    runId: string,
    options: { failedOnly: boolean; limit: number; cursor?: string; fromIndex?: number },
  ): Promise<Page<IndexedResult>>;
}
