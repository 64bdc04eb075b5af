import { DynamoRegistry } from '../../../src/adapters/aws/dynamo-registry.ts';
import { registryContract } from '../../contracts/registry.ts';
import { LocalTables, ManualClock } from './local-cloud.ts';

const tables = new LocalTables();

registryContract(
  'DynamoRegistry',
  async () => {
    const clock = new ManualClock();
    const registry = new DynamoRegistry(await tables.table(clock), clock);
    return { registry, advanceMs: (ms) => clock.advanceMs(ms) };
  },
  tables.stop,
);
