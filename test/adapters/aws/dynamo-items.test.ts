import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DynamoRegistry } from '../../../src/adapters/aws/dynamo-registry.ts';
import { DynamoRowIndex } from '../../../src/adapters/aws/dynamo-row-index.ts';
import type { DynamoTable } from '../../../src/adapters/aws/dynamo-table.ts';
import { keys, OPEN_RUNS, ROW_SHARDS } from '../../../src/adapters/aws/table-keys.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { scored } from '../../../src/core/schemas/score.ts';
import { hugeResult } from '../../contracts/row-index.ts';
import { anEval, aResult, aRun, counters, RUN_ID } from '../../contracts/samples.ts';
import { LocalTables, ManualClock } from './local-cloud.ts';

const tables = new LocalTables();
let table: DynamoTable;
let clock: ManualClock;
let registry: DynamoRegistry;
beforeEach(async () => {
  clock = new ManualClock();
  table = await tables.table(clock);
  registry = new DynamoRegistry(table, clock);
});
afterAll(tables.stop);

async function rowItems() {
  const shards = Array.from({ length: ROW_SHARDS }, (_, shard) => table.query({ partition: keys.rows(RUN_ID, shard) }));
  return Promise.all(shards);
}

function size(item: Readonly<Record<string, unknown>>): number {
  return Object.entries(item).reduce((sum, [name, value]) => {
    return (
      sum +
      Buffer.byteLength(name) +
      (value instanceof Uint8Array ? value.byteLength : Buffer.byteLength(String(value)))
    );
  }, 0);
}

describe('row items', () => {
  it('are spread over the shards', async () => {
    const index = new DynamoRowIndex(table);
    await index.put(
      RUN_ID,
      'p',
      Array.from({ length: 320 }, (_, row) => aResult(row)),
    );
    const sizes = (await rowItems()).map((items) => items.length);
    expect(Math.min(...sizes)).toBeGreaterThan(5);
    expect(Math.max(...sizes)).toBeLessThan(40);
  });

  it('cost one write unit, of 1 KB, for an ordinary result', async () => {
    const metric = (name: string) => [name, scored(0.8, `The answer is right about ${name} and cites the policy.`)];
    const ordinary = aResult(12, {
      row_id: 'order-returns-0012',
      output: 'You can return any order within 30 days. Keep the receipt, and send it back in its packaging. '.repeat(
        6,
      ),
      scores: Object.fromEntries(['correctness', 'relevance', 'safety', 'rubric'].map(metric)),
      passed: false,
    });
    await new DynamoRowIndex(table).put(RUN_ID, 'part-00000000.jsonl.gz', [ordinary]);
    const [item] = (await rowItems()).flat();
    expect(size(item ?? {})).toBeLessThan(1_024);
  });

  it('are far from the limit of 400 KB, whatever the result holds', async () => {
    await new DynamoRowIndex(table).put(RUN_ID, 'p', [hugeResult()]);
    const [item] = (await rowItems()).flat();
    expect(size(item ?? {})).toBeLessThan(16 * 1_024);
  });
});

describe('the index of open runs', () => {
  it('holds runs while they are open and no longer', async () => {
    const open = () => table.query({ index: true, partition: OPEN_RUNS });
    await registry.createRun(aRun());
    expect(await open()).toHaveLength(1);
    await registry.updateRun(RUN_ID, ['queued'], { status: 'running' });
    expect(await open()).toHaveLength(1);
    await registry.updateRun(RUN_ID, ['running'], { total: 5 });
    expect(await open()).toHaveLength(1);
    await registry.updateRun(RUN_ID, ['running'], { status: 'passed' });
    expect(await open()).toEqual([]);
    await registry.updateRun(RUN_ID, ['passed'], { status: 'running' });
    expect(await open()).toHaveLength(1);
  });

  it('names no run that was created closed', async () => {
    await registry.createRun(aRun({ status: 'error' }));
    expect(await table.query({ index: true, partition: OPEN_RUNS })).toEqual([]);
  });
});

describe('other items', () => {
  it('leave no token behind on the counters of a run', async () => {
    for (const first of [0, 10, 0, 20]) {
      await registry.putBatchCounters(RUN_ID, first, counters({ done: first + 1 }));
      await registry.putBatchCounters(RUN_ID, first, counters({ done: first + 2 }));
    }
    expect((await table.get(keys.counters(RUN_ID)))?.pending).toBeUndefined();
  });

  it('that only guard against repetition expire', async () => {
    const now = clock.now() / 1000;
    await registry.putBatchCounters(RUN_ID, 0, counters());
    await registry.rememberDelivery('shop', 'k', { bodyHash: 'h', gateRunId: 'g' });
    expect((await table.get(keys.batch(RUN_ID, 0)))?.ttl).toBe(now + 30 * 86_400);
    expect((await table.get(keys.delivery('shop', 'k')))?.ttl).toBe(now + 86_400);
  });

  it('that cannot be stored say what is too large', async () => {
    const noise = Array.from({ length: 60_000 }, (_, number) => Math.sin(number).toString(36).slice(2, 16)).join('');
    const config = { ...anEval(1).config, rubric: noise };
    const add = registry.addEvalVersion(anEval(1, { config }));
    await expect(add).rejects.toThrow(StorageError);
    await expect(add).rejects.toThrow(/eval "support-faq" is too large to store: \d+ bytes packed/);
  });

  it('that another version wrote are refused with their key', async () => {
    await table.put({ ...keys.project('shop'), body: '{"id":"shop"}' });
    await expect(registry.getProject('shop')).rejects.toThrow(/PROJECTS \/ shop does not fit/);
  });
});
