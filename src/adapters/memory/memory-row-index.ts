import type { RowResult } from '../../core/schemas/result.ts';
import type { Page } from '../../ports/registry.ts';
import type { IndexedResult, RowIndex } from '../../ports/row-index.ts';
import { makeCursor, pageSize, readCursor } from '../aws/cursor.ts';
import { indexResult } from '../aws/indexed-result.ts';
import { finiteJson } from '../aws/packed-json.ts';
import { beforeRow, rowSortKey } from '../aws/table-keys.ts';

/** The row index in this process, for tests of use cases. */
export class MemoryRowIndex implements RowIndex {
  private readonly runs = new Map<string, Map<string, string>>();

  async put(runId: string, part: string, results: readonly RowResult[]): Promise<void> {
    const rows = this.runs.get(runId) ?? new Map<string, string>();
    for (const result of results) rows.set(rowSortKey(result), finiteJson(indexResult(result, part)));
    this.runs.set(runId, rows);
  }

  async list(
    runId: string,
    options: { failedOnly: boolean; limit: number; cursor?: string; fromIndex?: number },
  ): Promise<Page<IndexedResult>> {
    const list = `rows ${options.failedOnly ? 'failed' : 'all'} ${runId}`;
    const after = readCursor(list, options.cursor) ?? beforeRow(options.fromIndex);
    const left = [...(this.runs.get(runId) ?? [])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(([key]) => after === undefined || key > after)
      .map(([key, json]) => ({ key, row: JSON.parse(json) as IndexedResult }))
      .filter(({ row }) => !options.failedOnly || !row.passed);
    const shown = left.slice(0, pageSize(options.limit));
    const last = shown.at(-1);
    const more = left.length > shown.length && last !== undefined;
    return { items: shown.map(({ row }) => row), cursor: more ? makeCursor(list, last.key) : null };
  }
}
