import { createStores } from '../shared/adapters.ts';
import { parseEnv } from '../shared/env.ts';
import { emitMetrics } from '../shared/metrics.ts';
import { FailRunEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(FailRunEnvSchema, process.env);
const stores = createStores(env);

export const handler = createHandler({
  ...stores,
  onFailed: () => emitMetrics(env.STAGE, { RunsError: 1 }, stores.clock.now()),
});
