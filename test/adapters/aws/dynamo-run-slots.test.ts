import { DynamoRunSlots } from '../../../src/adapters/aws/dynamo-run-slots.ts';
import { runSlotsContract } from '../../contracts/run-slots.ts';
import { LocalTables } from './local-cloud.ts';

const tables = new LocalTables();

runSlotsContract('DynamoRunSlots', async () => new DynamoRunSlots(await tables.table()), tables.stop);
