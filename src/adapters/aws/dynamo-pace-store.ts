import { StorageError } from '../../core/errors.ts';
import { IDLE_MS, type Pace, PaceSchema } from '../../core/pace/pace.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PaceStore } from '../../ports/pace-store.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import { keys } from './table-keys.ts';

const ATTEMPTS = 30;
/** Longest wait between two attempts: Lambdas that collide must not collide again. */
const WAIT_MS = 100;

export interface DynamoPaceStoreOptions {
  readonly table: DynamoTable;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Paces that the Lambdas of all runs share: an item a key, replaced only as it was read. */
export class DynamoPaceStore implements PaceStore {
  private readonly options: DynamoPaceStoreOptions;

  constructor(options: DynamoPaceStoreOptions) {
    this.options = options;
  }

  async update<T>(
    key: string,
    change: (pace: Pace | null) => { readonly pace: Pace | null; readonly result: T },
  ): Promise<T> {
    const { table, clock, random } = this.options;
    let item: Item | null = await table.get(keys.pace(key));
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const { pace, result } = change(readPace(item));
      if (pace === null) return result;
      const put = await table.putIf(
        // DynamoDB deletes it within days; a pace that is over is none before that.
        {
          ...keys.pace(key),
          ...pace,
          ttl: Math.ceil((clock.now() + 2 * IDLE_MS) / 1000),
          version: versionOf(item) + 1,
        },
        unchangedSince(item),
      );
      if (put.written) return result;
      await clock.sleep(random() * Math.min(WAIT_MS, 10 * attempt));
      // What stood in the way is old by now.
      item = await table.get(keys.pace(key));
    }
    throw new StorageError(`the pace of ${key} is being changed by too many at once`);
  }
}

/** A damaged item is none: it is replaced. */
function readPace(item: Item | null): Pace | null {
  const read = PaceSchema.safeParse(item);
  return read.success ? read.data : null;
}

function unchangedSince(item: Item | null) {
  const names = { '#version': 'version' };
  if (item?.version === undefined) return { expression: 'attribute_not_exists(#version)', names };
  return { expression: '#version = :version', names, values: { ':version': item.version } };
}

const versionOf = (item: Item | null): number => (typeof item?.version === 'number' ? item.version : 0);
