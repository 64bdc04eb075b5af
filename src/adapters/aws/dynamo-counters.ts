import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { StorageError } from '../../core/errors.ts';
import type { RunCounters } from '../../core/schemas/registry.ts';
import { RunCountersSchema } from '../../core/schemas/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import type { Key } from './table-keys.ts';
import { keys } from './table-keys.ts';

const FIELDS = RunCountersSchema.keyof().options;
const NOTHING: RunCounters = { done: 0, scored: 0, target_error: 0, judge_error: 0, skipped: 0, cost_usd: 0, late: 0 };
/** A redrive is possible for 14 days; after that nobody writes to the batches of a run. */
const BATCH_DAYS = 30;
const ATTEMPTS = 20;

const BatchSchema = z.object({
  /** What the batch contributes, and what it did before. */
  now: RunCountersSchema,
  before: RunCountersSchema,
  /** Stands among the run's pending tokens until the difference is added. */
  token: z.string(),
});
type Batch = z.infer<typeof BatchSchema>;

/**
 * Counters of a run: one item with the sums, to be read often, and one a batch with what it contributed. Without a
 * transaction the two could part; so each change is announced on the sums by a token of its own (1), written to the
 * batch (2), and then added to the sums in the same update that takes the token away (3). The token is there once,
 * hence the difference is added once, whoever does it: this call, its repetition, or the next delivery of the batch,
 * which first settles what an earlier one left between 2 and 3.
 */
export class DynamoCounters {
  private readonly table: DynamoTable;
  private readonly clock: Clock;

  constructor(table: DynamoTable, clock: Clock) {
    this.table = table;
    this.clock = clock;
  }

  async put(runId: string, firstIndex: number, counters: RunCounters): Promise<void> {
    const now = RunCountersSchema.parse(counters);
    const key = keys.batch(runId, firstIndex);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const item = await this.table.get(key);
      const earlier = item === null ? null : readBatch(item);
      if (earlier !== null) await this.settle(runId, earlier);
      if (earlier !== null && FIELDS.every((field) => earlier.now[field] === now[field])) return;

      const batch: Batch = { now, before: earlier?.now ?? NOTHING, token: randomBytes(9).toString('base64url') };
      await this.announce(runId, batch.token);
      if (await this.replace(key, batch, earlier?.token)) {
        await this.settle(runId, batch);
        return;
      }
      // Another delivery of the same batch was first: begin again from what it wrote.
      await this.withdraw(runId, batch.token);
    }
    throw new StorageError(`run ${runId}: batch ${firstIndex} is being written by many at once`);
  }

  async get(runId: string): Promise<RunCounters> {
    const item = await this.table.get(keys.counters(runId));
    if (item === null) return NOTHING;
    return RunCountersSchema.parse(Object.fromEntries(FIELDS.map((field) => [field, item[field] ?? 0])));
  }

  private async announce(runId: string, token: string): Promise<void> {
    const update = { add: ['pending :token'], values: { ':token': new Set([token]) } };
    await this.table.updateIf(keys.counters(runId), update, { expression: '' });
  }

  private async withdraw(runId: string, token: string): Promise<void> {
    const update = { delete: ['pending :token'], values: { ':token': new Set([token]) } };
    await this.table.updateIf(keys.counters(runId), update, { expression: '' });
  }

  private async replace(key: Key, batch: Batch, earlierToken: string | undefined): Promise<boolean> {
    const item = { ...key, ...batch, ttl: Math.floor(this.clock.now() / 1000) + BATCH_DAYS * 86_400 };
    const condition =
      earlierToken === undefined
        ? { expression: 'attribute_not_exists(pk)' }
        : { expression: '#token = :earlier', names: { '#token': 'token' }, values: { ':earlier': earlierToken } };
    return (await this.table.putIf(item, condition)).written;
  }

  /** Adds the difference unless it was added before. */
  private async settle(runId: string, batch: Batch): Promise<void> {
    const names: Record<string, string> = {};
    const values: Record<string, unknown> = { ':tokens': new Set([batch.token]) };
    const add: string[] = [];
    for (const field of FIELDS) {
      const difference = batch.now[field] - batch.before[field];
      if (difference === 0) continue;
      names[`#${field}`] = field;
      values[`:${field}`] = difference;
      add.push(`#${field} :${field}`);
    }
    const pending = { expression: 'contains(pending, :token)', values: { ':token': batch.token } };
    await this.table.updateIf(keys.counters(runId), { add, delete: ['pending :tokens'], names, values }, pending);
  }
}

function readBatch(item: Item): Batch {
  return BatchSchema.parse(item);
}
