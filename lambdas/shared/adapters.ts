import { dynamoHandle, s3Handle, secretsHandle, stepFunctionsHandle } from '../../src/adapters/aws/clients.ts';
import { DynamoRegistry } from '../../src/adapters/aws/dynamo-registry.ts';
import { DynamoRowIndex } from '../../src/adapters/aws/dynamo-row-index.ts';
import { DynamoTable } from '../../src/adapters/aws/dynamo-table.ts';
import { objectKeys } from '../../src/adapters/aws/object-keys.ts';
import { S3DatasetStore } from '../../src/adapters/aws/s3-dataset-store.ts';
import { S3Objects } from '../../src/adapters/aws/s3-objects.ts';
import { S3ResultParts } from '../../src/adapters/aws/s3-result-parts.ts';
import { S3RunStore } from '../../src/adapters/aws/s3-run-store.ts';
import { StepFunctionsWorkflow } from '../../src/adapters/aws/step-functions-workflow.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { PRICES } from '../../src/core/cost/price-table.ts';
import type { DeployedPorts } from '../../src/use-cases/deployed.ts';

export interface StoreEnv {
  readonly TABLE_NAME: string;
  readonly BUCKET_NAME: string;
  /** Only functions that start executions know it; those that look one up have its ARN from the run. */
  readonly STATE_MACHINE_ARN?: string;
}

/** What every function works on. Clients are built at their first call. */
export function createStores(env: StoreEnv) {
  const clock = systemClock;
  const table = new DynamoTable({ tableName: env.TABLE_NAME, dynamo: dynamoHandle(), clock });
  const objects = new S3Objects({ bucket: env.BUCKET_NAME, s3: s3Handle() });
  return {
    clock,
    prices: PRICES,
    objects,
    registry: new DynamoRegistry(table, clock),
    rowIndex: new DynamoRowIndex(table),
    parts: new S3ResultParts(objects),
    datasets: new S3DatasetStore(objects),
    runs: (project: string) => new S3RunStore(objects, project),
    rowsKey: (project: string, runId: string) => objectKeys.runFile(project, runId, 'rows.jsonl'),
    workflow: new StepFunctionsWorkflow({
      stateMachineArn: env.STATE_MACHINE_ARN ?? '',
      stepFunctions: stepFunctionsHandle(),
    }),
    secrets: secretsHandle(),
  };
}

export type Stores = ReturnType<typeof createStores>;

/** For functions that talk to no target and no judge. */
export const NO_ENVIRONMENT: Pick<DeployedPorts, 'openEnvironment'> = {
  openEnvironment: () => Promise.reject(new Error('this function evaluates nothing')),
};
