import { createStores } from '../shared/adapters.ts';
import { parseEnv } from '../shared/env.ts';
import { openEnvironmentOf } from '../shared/open-environment.ts';
import { createRunEvents } from '../shared/run-events.ts';
import { PrepareRunEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(PrepareRunEnvSchema, process.env);
const stores = createStores(env);

export const handler = createHandler({
  ...stores,
  events: createRunEvents(env, stores.clock),
  openEnvironment: openEnvironmentOf(env, stores),
  limits: { maxBatches: env.MAX_CONCURRENT_BATCHES, maxInFlight: env.MAX_ROWS_IN_FLIGHT },
});
