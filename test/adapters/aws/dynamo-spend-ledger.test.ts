import { afterEach, describe, expect, it } from 'vitest';
import { dynamoHandle } from '../../../src/adapters/aws/clients.ts';
import { DynamoSpendLedger } from '../../../src/adapters/aws/dynamo-spend-ledger.ts';
import { DynamoTable } from '../../../src/adapters/aws/dynamo-table.ts';
import { spendLedgerContract } from '../../contracts/spend-ledger.ts';
import { FaultProxy } from './fault-proxy.ts';
import { LocalTables, local, ManualClock, TABLE } from './local-cloud.ts';

const tables = new LocalTables();

spendLedgerContract(
  'DynamoSpendLedger',
  async () => new DynamoSpendLedger({ table: await tables.table(), clock: new ManualClock() }),
  tables.stop,
);

describe('a reply that gets lost', () => {
  let proxy: FaultProxy;
  afterEach(async () => {
    await proxy.stop();
    await tables.stop();
  });

  /** What a batch does, from its first call to its last, with an earlier delivery to write off. */
  async function life(lost: number | null) {
    const settings = await tables.fresh();
    proxy = new FaultProxy(settings.endpoint);
    const dynamo = dynamoHandle({ ...local(await proxy.start()), maxAttempts: 3 });
    const clock = new ManualClock();
    const table = new DynamoTable({ tableName: TABLE, dynamo, clock, random: () => 0.5 });
    const ledger = new DynamoSpendLedger({ table, clock });
    let calls = 0;
    proxy.plan = () => (++calls === lost ? 'after' : undefined);
    const of = { runId: 'r-1', part: 3 };
    const first = await ledger.open(of, 1_000);
    await first.step({ spent: 0, hold: 100 });
    const account = await ledger.open(of, 1_000);
    const outcomes = [
      await account.step({ spent: 0, hold: 300, mustFit: true, dearest: { http: 7 } }),
      await account.step({ spent: 250, hold: 20 }),
      await account.step({ spent: 0, hold: 900, mustFit: true }),
      await account.step({ spent: 10, hold: 0, closes: true }),
    ];
    return { outcomes: outcomes.slice(0, 3), view: (await ledger.open(of, 1_000)).view, calls };
  }

  it('counts nothing twice and forgets nothing, whichever it was', async () => {
    const { calls, ...expected } = await life(null);
    expect(expected).toEqual({
      outcomes: ['done', 'done', 'does not fit'],
      view: { spent: 360, committed: 360, writtenOff: 100, dearest: { http: 7 }, reached: false },
    });
    for (let lost = 1; lost <= calls; lost += 1) {
      await proxy.stop();
      const { calls: _, ...found } = await life(lost);
      expect({ lost, ...found }).toEqual({ lost, ...expected });
    }
  });
});
