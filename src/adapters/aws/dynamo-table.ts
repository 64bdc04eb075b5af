import { randomBytes } from 'node:crypto';
import { StorageError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DynamoHandle } from './clients.ts';
import { isNamed, isServiceFailure } from './service-errors.ts';
import type { Key } from './table-keys.ts';
import { TABLE_KEYS } from './table-keys.ts';

export type Item = Readonly<Record<string, unknown>>;
type StoredItem = Item & Key;

interface Condition {
  readonly expression: string;
  readonly names?: Record<string, string>;
  readonly values?: Record<string, unknown>;
}

/** Clauses of an update without their keywords: `['#a = :a']`, `['#a']`, `['#n :n']`, `['#set :members']`. */
interface Update {
  readonly set?: readonly string[];
  readonly remove?: readonly string[];
  readonly add?: readonly string[];
  readonly delete?: readonly string[];
  readonly names?: Record<string, string>;
  readonly values?: Record<string, unknown>;
}

interface Range {
  readonly index?: boolean;
  readonly partition: string;
  readonly startsWith?: string;
  /** Only sort keys after this one (before it, when descending). */
  readonly after?: string;
  readonly descending?: boolean;
  /** At most so many items. @default all */
  readonly limit?: number;
}

export interface DynamoTableOptions {
  readonly tableName: string;
  readonly dynamo: DynamoHandle;
  readonly clock: Clock;
  /** 0 to 1, for the jitter between attempts. @default Math.random */
  readonly random?: () => number;
}

/**
 * Names the conditional write that made an item. The SDK repeats a call whose reply got lost; the repetition then
 * fails on what the first attempt wrote, and the mark tells that apart from another writer.
 */
const MARK = 'written_by';

const ITEMS_A_WRITE = 25;
const ITEMS_A_READ = 100;
/** Attempts for what a batch call hands back, the first included: about 20 s of waiting in all. */
const BATCH_ATTEMPTS = 10;
const BASE_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;
const CALLS_AT_ONCE = 4;

/**
 * The table's calls as the registry needs them. Reads are strongly consistent (an index cannot be); a condition that
 * does not hold is a value; whatever else fails, after the SDK's retries, is a StorageError.
 */
export class DynamoTable {
  private readonly options: DynamoTableOptions;

  constructor(options: DynamoTableOptions) {
    this.options = options;
  }

  async get(key: Key): Promise<StoredItem | null> {
    const { sdk, client } = await this.options.dynamo();
    const command = new sdk.GetCommand({ TableName: this.options.tableName, Key: keyOf(key), ConsistentRead: true });
    const reply = await this.guard('GetItem', () => client.send(command));
    return (reply.Item as StoredItem | undefined) ?? null;
  }

  async put(item: StoredItem): Promise<void> {
    const { sdk, client } = await this.options.dynamo();
    const command = new sdk.PutCommand({ TableName: this.options.tableName, Item: item });
    await this.guard('PutItem', () => client.send(command));
  }

  /** Puts the item where the condition holds; otherwise nothing is written and the item in its place is returned. */
  async putIf(item: StoredItem, condition: Condition): Promise<{ written: boolean; found: StoredItem | null }> {
    const { sdk, client } = await this.options.dynamo();
    const mark = writeMark();
    const command = new sdk.PutCommand({
      TableName: this.options.tableName,
      Item: { ...item, [MARK]: mark },
      ...conditionInput(condition),
    });
    const reply = await this.whenConditionHolds('PutItem', () => client.send(command));
    if (reply !== null) return { written: true, found: null };
    const found = await this.get(item);
    return { written: found?.[MARK] === mark, found };
  }

  /** The item after the update, or null when the condition does not hold. */
  async updateIf(key: Key, update: Update, condition: Condition): Promise<StoredItem | null> {
    const { sdk, client } = await this.options.dynamo();
    const mark = writeMark();
    const command = new sdk.UpdateCommand({
      TableName: this.options.tableName,
      Key: keyOf(key),
      UpdateExpression: updateExpression(update),
      ReturnValues: 'ALL_NEW',
      ...conditionInput({
        expression: condition.expression,
        names: { ...update.names, ...condition.names, '#mark': MARK },
        values: { ...update.values, ...condition.values, ':mark': mark },
      }),
    });
    const reply = await this.whenConditionHolds('UpdateItem', () => client.send(command));
    if (reply !== null) return (reply.Attributes ?? {}) as StoredItem;
    const found = await this.get(key);
    return found?.[MARK] === mark ? found : null;
  }

  async delete(key: Key): Promise<void> {
    const { sdk, client } = await this.options.dynamo();
    const command = new sdk.DeleteCommand({ TableName: this.options.tableName, Key: keyOf(key) });
    await this.guard('DeleteItem', () => client.send(command));
  }

  /** Items of one partition in the order of their sort keys; through the index only their keys are certain. */
  async query(range: Range): Promise<StoredItem[]> {
    const { sdk, client } = await this.options.dynamo();
    const found: StoredItem[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const limit = range.limit === undefined ? undefined : range.limit - found.length;
      const command = new sdk.QueryCommand({
        TableName: this.options.tableName,
        ...rangeInput(range),
        ...(limit === undefined ? {} : { Limit: limit }),
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      });
      const reply = await this.guard('Query', () => client.send(command));
      found.push(...((reply.Items ?? []) as StoredItem[]));
      start = reply.LastEvaluatedKey;
    } while (start !== undefined && (range.limit === undefined || found.length < range.limit));
    return found;
  }

  /** The items there are, in the order of `wanted`. */
  async getAll(wanted: readonly Key[]): Promise<StoredItem[]> {
    const { sdk, client } = await this.options.dynamo();
    const found = new Map<string, StoredItem>();
    const name = this.options.tableName;
    await eachChunk([...distinct(wanted).values()], ITEMS_A_READ, async (chunk) => {
      await this.untilNothingIsLeft('BatchGetItem', chunk.map(keyOf), async (asked) => {
        const command = new sdk.BatchGetCommand({ RequestItems: { [name]: { Keys: asked, ConsistentRead: true } } });
        const reply = await client.send(command);
        for (const item of (reply.Responses?.[name] ?? []) as StoredItem[]) found.set(identity(item), item);
        return reply.UnprocessedKeys?.[name]?.Keys ?? [];
      });
    });
    return wanted.map((key) => found.get(identity(key))).filter((item) => item !== undefined);
  }

  /** Puts all items; of two with one key the last wins. */
  async putAll(items: readonly StoredItem[]): Promise<void> {
    const puts = [...distinct(items).values()].map((item) => ({ PutRequest: { Item: item } }));
    await this.batchWrite(puts);
  }

  async deleteAll(items: readonly Key[]): Promise<void> {
    const deletes = [...distinct(items).values()].map((item) => ({ DeleteRequest: { Key: keyOf(item) } }));
    await this.batchWrite(deletes);
  }

  private async batchWrite(requests: readonly object[]): Promise<void> {
    const { sdk, client } = await this.options.dynamo();
    const name = this.options.tableName;
    await eachChunk(requests, ITEMS_A_WRITE, async (chunk) => {
      await this.untilNothingIsLeft('BatchWriteItem', chunk, async (asked) => {
        const reply = await client.send(new sdk.BatchWriteCommand({ RequestItems: { [name]: [...asked] } }));
        return reply.UnprocessedItems?.[name] ?? [];
      });
    });
  }

  /** A batch call that succeeds may still hand items back (throttling): they are sent again, with growing waits. */
  private async untilNothingIsLeft<T>(
    operation: string,
    items: readonly T[],
    send: (items: T[]) => Promise<readonly unknown[]>,
  ): Promise<void> {
    let left = [...items];
    for (let attempt = 1; left.length > 0; attempt += 1) {
      const asked = left;
      left = (await this.guard(operation, () => send(asked))) as T[];
      if (left.length === 0) return;
      if (attempt === BATCH_ATTEMPTS) {
        throw new StorageError(
          `DynamoDB ${operation}: ${left.length} of ${items.length} items still unprocessed after ${attempt} attempts ` +
            `(table ${this.options.tableName} is throttled)`,
        );
      }
      const ceilingMs = Math.min(LONGEST_WAIT_MS, BASE_WAIT_MS * 2 ** attempt);
      const jitter = (this.options.random ?? Math.random)();
      await this.options.clock.sleep(ceilingMs / 2 + (ceilingMs / 2) * jitter);
    }
  }

  private async whenConditionHolds<T>(operation: string, call: () => Promise<T>): Promise<T | null> {
    try {
      return await call();
    } catch (error) {
      if (isNamed(error, 'ConditionalCheckFailedException')) return null;
      throw this.failure(operation, error);
    }
  }

  private async guard<T>(operation: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw this.failure(operation, error);
    }
  }

  private failure(operation: string, error: unknown): unknown {
    // What the SDK throws without having sent anything (a value that is no item) is a bug of ours: let it through.
    if (!(error instanceof Error) || !isServiceFailure(error)) return error;
    const message = `DynamoDB ${operation} on table ${this.options.tableName}: ${error.name}: ${error.message}`;
    return new StorageError(message, { cause: error });
  }
}

function keyOf(key: Key): Key {
  return { pk: key.pk, sk: key.sk };
}

function identity(key: Key): string {
  return JSON.stringify([key.pk, key.sk]);
}

/** DynamoDB refuses a batch that names one key twice. */
function distinct<T extends Key>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [identity(item), item]));
}

function writeMark(): string {
  return randomBytes(12).toString('base64url');
}

function updateExpression(update: Update): string {
  const clauses = [
    `SET ${[...(update.set ?? []), '#mark = :mark'].join(', ')}`,
    ...(update.remove?.length ? [`REMOVE ${update.remove.join(', ')}`] : []),
    ...(update.add?.length ? [`ADD ${update.add.join(', ')}`] : []),
    ...(update.delete?.length ? [`DELETE ${update.delete.join(', ')}`] : []),
  ];
  return clauses.join(' ');
}

function conditionInput(condition: Condition) {
  const { expression, names = {}, values = {} } = condition;
  return {
    ...(expression === '' ? {} : { ConditionExpression: expression }),
    ...(Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {}),
    ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
  };
}

function rangeInput(range: Range) {
  const [pk, sk] = range.index
    ? [TABLE_KEYS.indexPartitionKey, TABLE_KEYS.indexSortKey]
    : [TABLE_KEYS.partitionKey, TABLE_KEYS.sortKey];
  const names: Record<string, string> = { '#pk': pk };
  const values: Record<string, unknown> = { ':pk': range.partition };
  let expression = '#pk = :pk';
  if (range.after !== undefined) {
    names['#sk'] = sk;
    values[':after'] = range.after;
    expression += range.descending ? ' AND #sk < :after' : ' AND #sk > :after';
  } else if (range.startsWith !== undefined) {
    names['#sk'] = sk;
    values[':prefix'] = range.startsWith;
    expression += ' AND begins_with(#sk, :prefix)';
  }
  return {
    ...(range.index ? { IndexName: TABLE_KEYS.index } : { ConsistentRead: true }),
    KeyConditionExpression: expression,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ScanIndexForward: range.descending !== true,
  };
}

async function eachChunk<T>(items: readonly T[], size: number, work: (chunk: T[]) => Promise<void>): Promise<void> {
  const chunks: T[][] = [];
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size));
  const worker = async () => {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) await work(chunk);
  };
  await Promise.all(Array.from({ length: Math.min(CALLS_AT_ONCE, chunks.length) }, worker));
}
