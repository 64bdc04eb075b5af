import { afterAll, describe, expect, it } from 'vitest';
import { dynamoHandle } from '../../../src/adapters/aws/clients.ts';
import { DynamoPaceStore } from '../../../src/adapters/aws/dynamo-pace-store.ts';
import { DynamoTable } from '../../../src/adapters/aws/dynamo-table.ts';
import { keys } from '../../../src/adapters/aws/table-keys.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { IDLE_MS, lowerPace } from '../../../src/core/pace/pace.ts';
import { paceStoreContract } from '../../contracts/pace-store.ts';
import { LocalTables, ManualClock, TABLE } from './local-cloud.ts';

const tables = new LocalTables();
const clock = new ManualClock();
const storeOn = (table: DynamoTable) => new DynamoPaceStore({ table, clock, random: () => 0.5 });
const pace = lowerPace(null, { nowMs: clock.now(), issuedMs: null, sentPerSecond: 20, holdMs: null });

paceStoreContract(
  'DynamoPaceStore',
  async () => {
    const settings = await tables.fresh();
    // Two processes have two clients.
    const view = () => storeOn(new DynamoTable({ tableName: TABLE, dynamo: dynamoHandle(settings), clock }));
    return [view(), view()];
  },
  tables.stop,
);

describe('DynamoPaceStore', () => {
  afterAll(tables.stop);

  it('lets DynamoDB delete a pace that is over', async () => {
    const table = await tables.table();
    await storeOn(table).update('a', () => ({ pace, result: null }));
    const item = await table.get(keys.pace('a'));
    expect(item?.ttl).toBeGreaterThanOrEqual((clock.now() + IDLE_MS) / 1000);
  });

  it('takes a damaged item for none and replaces it', async () => {
    const table = await tables.table();
    for (const damaged of [{ rate: 'fast' }, { rate: -1, version: 'x' }, {}]) {
      await table.put({ ...keys.pace('a'), ...damaged });
      const seen = await storeOn(table).update('a', (found) => ({ pace, result: found }));
      expect(seen).toBeNull();
      expect(await storeOn(table).update('a', (found) => ({ pace: null, result: found }))).toEqual(pace);
    }
  });

  it('gives up with a StorageError where somebody is always first', async () => {
    const table = await tables.table();
    const store = storeOn(table);
    let version = 100;
    const blocked = store.update('a', () => ({ pace, result: null }));
    const putIf = table.putIf.bind(table);
    table.putIf = async (item, condition) => {
      version += 1;
      await table.put({ ...keys.pace('a'), ...pace, version });
      return putIf(item, condition);
    };
    await expect(blocked).rejects.toThrow(StorageError);
  });
});
