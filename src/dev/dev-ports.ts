import { dynamoHandle, s3Handle } from '../adapters/aws/clients.ts';
import { DynamoCalibrations } from '../adapters/aws/dynamo-calibrations.ts';
import { DynamoPaceStore } from '../adapters/aws/dynamo-pace-store.ts';
import { DynamoRegistry } from '../adapters/aws/dynamo-registry.ts';
import { DynamoRowIndex } from '../adapters/aws/dynamo-row-index.ts';
import { DynamoRunSlots } from '../adapters/aws/dynamo-run-slots.ts';
import { DynamoSpendLedger } from '../adapters/aws/dynamo-spend-ledger.ts';
import { DynamoTable } from '../adapters/aws/dynamo-table.ts';
import { DynamoVerdictCache } from '../adapters/aws/dynamo-verdict-cache.ts';
import { objectKeys } from '../adapters/aws/object-keys.ts';
import { S3DatasetStore } from '../adapters/aws/s3-dataset-store.ts';
import { S3Objects } from '../adapters/aws/s3-objects.ts';
import { S3ResultParts } from '../adapters/aws/s3-result-parts.ts';
import { S3RunStore } from '../adapters/aws/s3-run-store.ts';
import { createEnvironment } from '../adapters/build-environment.ts';
import { LocalSecrets } from '../adapters/local/secrets.ts';
import type { PriceTable } from '../core/cost/price-table.ts';
import type { Clock } from '../ports/clock.ts';
import type { RunEvents } from '../ports/run-events.ts';
import type { SpendLedger } from '../ports/spend-ledger.ts';
import type { DeployedPorts } from '../use-cases/deployed.ts';
import { bedrockClientOptions, checkJudges, type DevBedrock } from './dev-judges.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from './emulators/local-account.ts';

export const DEV_TABLE = 'assay';
export const DEV_BUCKET = 'assay';
/** Ends of runs as the event bus would be sent them, a line each. */
export const EVENTS_FILE = 'events.jsonl';

export interface DevPortsOptions {
  readonly dynamoUrl: string;
  readonly s3Url: string;
  /** Its `.env` holds secrets, beside the environment. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bedrock: DevBedrock;
  readonly prices: PriceTable;
  readonly clock: Clock;
  readonly events: RunEvents;
}

export interface DevPorts extends DeployedPorts {
  readonly ledger: SpendLedger;
  readonly objects: S3Objects;
  readonly events: RunEvents;
  rowsKey(project: string, runId: string): string;
}

/** The adapters of the cloud over the emulators; only secrets and models are of this machine. */
export function createDevPorts(options: DevPortsOptions): DevPorts {
  const { clock, prices, bedrock, env, folder } = options;
  const account = { region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS };
  const dynamo = dynamoHandle({ ...account, endpoint: options.dynamoUrl });
  const table = new DynamoTable({ tableName: DEV_TABLE, dynamo, clock });
  const paces = new DynamoPaceStore({ table, clock, random: Math.random });
  const objects = new S3Objects({ bucket: DEV_BUCKET, s3: s3Handle({ ...account, endpoint: options.s3Url }) });
  return {
    clock,
    prices,
    objects,
    registry: new DynamoRegistry(table, clock),
    slots: new DynamoRunSlots(table),
    events: options.events,
    rowIndex: new DynamoRowIndex(table),
    ledger: new DynamoSpendLedger({ table, clock }),
    verdicts: (project) => new DynamoVerdictCache(table, clock, project),
    calibrations: (project) => new DynamoCalibrations(table, project),
    parts: new S3ResultParts(objects),
    datasets: new S3DatasetStore(objects),
    runs: (project) => new S3RunStore(objects, project),
    rowsKey: (project, runId) => objectKeys.runFile(project, runId, 'rows.jsonl'),
    openEnvironment: async (project, config, { concurrency, isThrottled = false, onFirstThrottle }) => {
      checkJudges(config, bedrock);
      return createEnvironment(config, {
        secrets: new LocalSecrets({ folder, env }),
        prices,
        loopback: true,
        concurrency,
        env: { ...env, AWS_REGION: env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? LOCAL_REGION },
        bedrock: bedrockClientOptions(bedrock),
        pacing: { store: paces, scope: project, isExpected: isThrottled, onFirstThrottle },
      });
    },
  };
}
