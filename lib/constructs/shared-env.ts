import type * as z from 'zod';
import type { SharedEnvSchema } from '../../lambdas/shared/env.ts';
import type { StageConfig } from '../config.ts';
import { eventBusName } from './event-access.ts';
import type { ResultsStore } from './results-store.ts';

export type SharedEnv = z.input<typeof SharedEnvSchema>;

/** What every function is told. */
export function sharedEnv(config: StageConfig, store: ResultsStore): SharedEnv {
  return {
    STAGE: config.stage,
    LOG_LEVEL: config.logLevel,
    TABLE_NAME: store.table.tableName,
    BUCKET_NAME: store.bucket.bucketName,
    SECRETS_PREFIX: config.secretsPrefix,
    EVENT_BUS_NAME: eventBusName(config),
    MAX_CONCURRENT_RUNS: config.evaluation.maxConcurrentRuns?.toString(),
    MAX_QUEUED_RUNS: String(config.evaluation.maxQueuedRuns),
  };
}
