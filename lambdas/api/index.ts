import { randomBytes } from 'node:crypto';
import { lambdaHandle } from '../../src/adapters/aws/clients.ts';
import { LambdaHandOver } from '../../src/adapters/aws/lambda-hand-over.ts';
import { objectKeys } from '../../src/adapters/aws/object-keys.ts';
import { SecretsManagerSystemSecrets } from '../../src/adapters/aws/secrets-manager-system-secrets.ts';
import { writtenFaults } from '../../src/adapters/http/written-faults.ts';
import { unpackDataset } from '../../src/adapters/local/dataset-file.ts';
import { folderReader } from '../../src/adapters/local/folder-reader.ts';
import { createStores } from '../shared/adapters.ts';
import { parseEnv } from '../shared/env.ts';
import { createRunEvents } from '../shared/run-events.ts';
import { createSchedules } from '../shared/schedules.ts';
import { ApiEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const REPORT_URL_SECONDS = 300;

const env = parseEnv(ApiEnvSchema, process.env);
const stores = createStores(env);
const { clock, objects } = stores;
const lambda = lambdaHandle();

export const handler = createHandler({
  ...stores,
  events: createRunEvents(env, clock),
  systemSecrets: new SecretsManagerSystemSecrets({ secrets: stores.secrets, clock, prefix: env.SECRETS_PREFIX }),
  schedules: createSchedules(env),
  ingestion: new LambdaHandOver({ functionName: env.INGEST_FUNCTION_NAME, lambda }),
  compaction: new LambdaHandOver({ functionName: env.COMPACT_FUNCTION_NAME, lambda }),
  auth: env.API_AUTH,
  writtenFaults: (config) => writtenFaults(config, { loopback: env.ALLOW_LOOPBACK === 'true' }),
  randomBytes,
  unpack: unpackDataset,
  reportLinkDays: env.REPORT_LINK_DAYS ?? 7,
  consoleFiles: folderReader(new URL('console/', import.meta.url)),
  openReport: async (project, runId, file) => {
    const key = objectKeys.runFile(project, runId, file);
    // S3 would tell the reader in XML that there is none.
    if ((await objects.readRange(key, 0, 1)) === null) return null;
    return { url: await objects.presignGet(key, REPORT_URL_SECONDS) };
  },
});
