import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { InvalidCursorError, StorageError } from '../../core/errors.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { Page } from '../../ports/registry.ts';
import type { IndexedResult, RowIndex } from '../../ports/row-index.ts';
import { makeCursor, pageSize, readCursor } from './cursor.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import { indexResult } from './indexed-result.ts';
import { finiteJson } from './packed-json.ts';
import type { Key } from './table-keys.ts';
import { beforeRow, keys, ROW_SHARDS, rowShard, rowSortKey } from './table-keys.ts';

const SORT_KEY_PATTERN = /^\d{10}#[0-9a-f]{16}#[^#]+#\d{6}#[01]$/;

/**
 * Row results over `ROW_SHARDS` partitions of the table. An item is the result's JSON, deflated: one write unit for
 * nearly every result, where its text would cost two; the parts in S3 are what people and Athena read.
 */
export class DynamoRowIndex implements RowIndex {
  private readonly table: DynamoTable;

  constructor(table: DynamoTable) {
    this.table = table;
  }

  async put(runId: string, part: string, results: readonly RowResult[]): Promise<void> {
    await this.table.putAll(results.map((result) => rowItem(runId, part, result)));
  }

  async list(
    runId: string,
    options: { failedOnly: boolean; limit: number; cursor?: string; fromIndex?: number },
  ): Promise<Page<IndexedResult>> {
    const limit = pageSize(options.limit);
    const list = `rows ${options.failedOnly ? 'failed' : 'all'} ${runId}`;
    const position = readCursor(list, options.cursor);
    if (position !== undefined && !SORT_KEY_PATTERN.test(position))
      throw new InvalidCursorError('the cursor is damaged');
    const after = position ?? beforeRow(options.fromIndex);

    // One more than asked tells whether there is a next page.
    const found = await this.inOrder(runId, options.failedOnly, after, limit + 1);
    const shown = found.slice(0, limit);
    const items = options.failedOnly ? await this.table.getAll(shown) : shown;
    const last = shown.at(-1);
    return {
      items: items.filter((item) => !options.failedOnly || item.gsi1pk !== undefined).map(readRow),
      cursor: found.length > limit && last !== undefined ? makeCursor(list, last.sk) : null,
    };
  }

  /** Merges the shards by sort key; each is read ahead only as far as a page is likely to need it. */
  private async inOrder(runId: string, failedOnly: boolean, after: string | undefined, count: number) {
    const aShare = Math.ceil(count / ROW_SHARDS) + 4;
    const shards = Array.from({ length: ROW_SHARDS }, (_, shard) => {
      const partition = failedOnly ? keys.failedRows(runId, shard) : keys.rows(runId, shard);
      return new ShardReader(this.table, { index: failedOnly, partition }, after, aShare);
    });
    await Promise.all(shards.map((shard) => shard.fill()));
    const merged: (Key & Item)[] = [];
    while (merged.length < count) {
      let next: ShardReader | undefined;
      for (const shard of shards) {
        const key = shard.peek()?.sk;
        if (key !== undefined && (next === undefined || key < (next.peek()?.sk ?? ''))) next = shard;
      }
      const item = next?.take();
      if (next === undefined || item === undefined) break;
      merged.push(item);
      await next.fill();
    }
    return merged;
  }
}

class ShardReader {
  private readonly table: DynamoTable;
  private readonly range: { index: boolean; partition: string };
  private readonly pageSize: number;
  private after: string | undefined;
  private ahead: (Key & Item)[] = [];
  private ended = false;

  constructor(
    table: DynamoTable,
    range: { index: boolean; partition: string },
    after: string | undefined,
    pageSize: number,
  ) {
    this.table = table;
    this.range = range;
    this.after = after;
    this.pageSize = pageSize;
  }

  peek(): (Key & Item) | undefined {
    return this.ahead[0];
  }

  take(): (Key & Item) | undefined {
    return this.ahead.shift();
  }

  /** Does nothing while something is read ahead. */
  async fill(): Promise<void> {
    if (this.ahead.length > 0 || this.ended) return;
    const page = await this.table.query({
      ...this.range,
      limit: this.pageSize,
      ...(this.after === undefined ? {} : { after: this.after }),
    });
    this.ended = page.length < this.pageSize;
    this.after = page.at(-1)?.sk ?? this.after;
    this.ahead = page;
  }
}

function rowItem(runId: string, part: string, result: RowResult): Key & Item {
  const shard = rowShard(result.row_id);
  const sk = rowSortKey(result);
  return {
    pk: keys.rows(runId, shard),
    sk,
    ...(result.passed ? {} : { gsi1pk: keys.failedRows(runId, shard), gsi1sk: sk }),
    body: deflateRawSync(finiteJson(indexResult(result, part))),
  };
}

function readRow(item: Key & Item): IndexedResult {
  if (!(item.body instanceof Uint8Array)) throw new StorageError(`the row item ${item.pk} ${item.sk} has no content`);
  return JSON.parse(inflateRawSync(item.body).toString('utf8')) as IndexedResult;
}
