import { DynamoSpendLedger } from '../../../src/adapters/aws/dynamo-spend-ledger.ts';
import { spendLedgerContract } from '../../contracts/spend-ledger.ts';
import { LocalTables, ManualClock } from './local-cloud.ts';

const tables = new LocalTables();

spendLedgerContract(
  'DynamoSpendLedger',
  async () => new DynamoSpendLedger({ table: await tables.table(), clock: new ManualClock() }),
  tables.stop,
);
