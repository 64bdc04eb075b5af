import { afterAll, describe, expect, it } from 'vitest';
import { DynamoVerdictCache } from '../../../src/adapters/aws/dynamo-verdict-cache.ts';
import { keys } from '../../../src/adapters/aws/table-keys.ts';
import { sha256Hex } from '../../../src/core/json.ts';
import { verdictCacheContract } from '../../contracts/verdict-cache.ts';
import { LocalTables, ManualClock } from './local-cloud.ts';

const tables = new LocalTables();
const key = sha256Hex('a');

verdictCacheContract(
  'DynamoVerdictCache',
  async () => new DynamoVerdictCache(await tables.table(), new ManualClock(), 'shop'),
  tables.stop,
);

describe('DynamoVerdictCache', () => {
  afterAll(tables.stop);
  const DAY_MS = 86_400_000;

  it('forgets after 30 days, whether or not DynamoDB has deleted the item', async () => {
    const clock = new ManualClock();
    const table = await tables.table(clock);
    const cache = new DynamoVerdictCache(table, clock, 'shop');
    await cache.put(key, { a: 1 });
    clock.advanceMs(30 * DAY_MS - 1_000);
    expect(await cache.get(key)).toEqual({ a: 1 });
    clock.advanceMs(1_000);
    expect(await cache.get(key)).toBeNull();
    // The attribute that the table's TTL is set to.
    expect((await table.get(keys.verdict('shop', key)))?.ttl).toBe(clock.now() / 1000);
  });

  it('keeps projects apart', async () => {
    const table = await tables.table();
    await new DynamoVerdictCache(table, new ManualClock(), 'shop').put(key, { a: 1 });
    expect(await new DynamoVerdictCache(table, new ManualClock(), 'bank').get(key)).toBeNull();
  });

  it('takes a damaged item for none', async () => {
    const table = await tables.table();
    const clock = new ManualClock();
    const ttl = clock.now() / 1000 + 60;
    await table.put({ ...keys.verdict('shop', key), body: '{"key": ', ttl });
    expect(await new DynamoVerdictCache(table, clock, 'shop').get(key)).toBeNull();
  });
});
