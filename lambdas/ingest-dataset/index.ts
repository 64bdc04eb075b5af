import { dynamoHandle, s3Handle } from '../../src/adapters/aws/clients.ts';
import { DynamoRegistry } from '../../src/adapters/aws/dynamo-registry.ts';
import { DynamoTable } from '../../src/adapters/aws/dynamo-table.ts';
import { S3DatasetStore } from '../../src/adapters/aws/s3-dataset-store.ts';
import { S3Objects } from '../../src/adapters/aws/s3-objects.ts';
import { unpackDataset } from '../../src/adapters/local/dataset-file.ts';
import { systemClock as clock } from '../../src/adapters/system-clock.ts';
import { parseEnv } from '../shared/env.ts';
import { IngestDatasetEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(IngestDatasetEnvSchema, process.env);
// Not `createStores`: it brings Step Functions and Secrets Manager (75 KB), which have no part in this.
const table = new DynamoTable({ tableName: env.TABLE_NAME, dynamo: dynamoHandle(), clock });
const objects = new S3Objects({ bucket: env.BUCKET_NAME, s3: s3Handle() });

export const handler = createHandler({
  clock,
  registry: new DynamoRegistry(table, clock),
  datasets: new S3DatasetStore(objects),
  unpack: unpackDataset,
});
