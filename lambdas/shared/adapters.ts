import { s3Handle, secretsHandle } from '../../src/adapters/aws/clients.ts';
import { DynamoCalibrations } from '../../src/adapters/aws/dynamo-calibrations.ts';
import { DynamoPaceStore } from '../../src/adapters/aws/dynamo-pace-store.ts';
import { DynamoRowIndex } from '../../src/adapters/aws/dynamo-row-index.ts';
import { DynamoSpendLedger } from '../../src/adapters/aws/dynamo-spend-ledger.ts';
import { DynamoVerdictCache } from '../../src/adapters/aws/dynamo-verdict-cache.ts';
import { objectKeys } from '../../src/adapters/aws/object-keys.ts';
import { S3DatasetStore } from '../../src/adapters/aws/s3-dataset-store.ts';
import { S3Objects } from '../../src/adapters/aws/s3-objects.ts';
import { S3ResultParts } from '../../src/adapters/aws/s3-result-parts.ts';
import { S3RunStore } from '../../src/adapters/aws/s3-run-store.ts';
import { PRICES } from '../../src/core/cost/price-table.ts';
import type { DeployedPorts } from '../../src/use-cases/deployed.ts';
import { createRegistry, type RegistryEnv } from './registry.ts';

export interface StoreEnv extends RegistryEnv {
  readonly BUCKET_NAME: string;
}

/** What the steps of a run work on: registry, files, results. */
export function createStores(env: StoreEnv) {
  const { table, ...registry } = createRegistry(env);
  const objects = new S3Objects({ bucket: env.BUCKET_NAME, s3: s3Handle() });
  return {
    ...registry,
    prices: PRICES,
    objects,
    rowIndex: new DynamoRowIndex(table),
    ledger: new DynamoSpendLedger({ table, clock: registry.clock }),
    verdicts: (project: string) => new DynamoVerdictCache(table, registry.clock, project),
    calibrations: (project: string) => new DynamoCalibrations(table, project),
    paces: new DynamoPaceStore({ table, clock: registry.clock, random: Math.random }),
    parts: new S3ResultParts(objects),
    datasets: new S3DatasetStore(objects),
    runs: (project: string) => new S3RunStore(objects, project),
    rowsKey: (project: string, runId: string) => objectKeys.runFile(project, runId, 'rows.jsonl'),
    secrets: secretsHandle(),
  };
}

export type Stores = ReturnType<typeof createStores>;

/** For functions that talk to no target and no judge. */
export const NO_ENVIRONMENT: Pick<DeployedPorts, 'openEnvironment'> = {
  openEnvironment: () => Promise.reject(new Error('this function evaluates nothing')),
};
