import { DynamoRowIndex } from '../../../src/adapters/aws/dynamo-row-index.ts';
import { rowIndexContract } from '../../contracts/row-index.ts';
import { LocalTables } from './local-cloud.ts';

const tables = new LocalTables();
rowIndexContract('DynamoRowIndex', async () => new DynamoRowIndex(await tables.table()), tables.stop);
