import { dynamoHandle, lambdaHandle, s3Handle } from '../../src/adapters/aws/clients.ts';
import { DynamoRegistry } from '../../src/adapters/aws/dynamo-registry.ts';
import { DynamoTable } from '../../src/adapters/aws/dynamo-table.ts';
import { LambdaHandOver } from '../../src/adapters/aws/lambda-hand-over.ts';
import { S3CompactedResults } from '../../src/adapters/aws/s3-compacted-results.ts';
import { S3Objects } from '../../src/adapters/aws/s3-objects.ts';
import { ParquetFile } from '../../src/adapters/parquet/parquet-file.ts';
import { systemClock as clock } from '../../src/adapters/system-clock.ts';
import { ROW_RESULTS_PARQUET } from '../../src/analytics/tables.ts';
import { parseEnv } from '../shared/env.ts';
import { CompactRunEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(CompactRunEnvSchema, process.env);
const table = new DynamoTable({ tableName: env.TABLE_NAME, dynamo: dynamoHandle(), clock });
const itself = new LambdaHandOver({ functionName: env.AWS_LAMBDA_FUNCTION_NAME, lambda: lambdaHandle() });

export const handler = createHandler({
  clock,
  registry: new DynamoRegistry(table, clock),
  compacted: new S3CompactedResults(new S3Objects({ bucket: env.BUCKET_NAME, s3: s3Handle() })),
  openFile: () => new ParquetFile(ROW_RESULTS_PARQUET.columns),
  goOn: (request) => itself.start(request),
});
