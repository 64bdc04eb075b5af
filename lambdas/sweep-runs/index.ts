import { createStores } from '../shared/adapters.ts';
import { parseEnv } from '../shared/env.ts';
import { emitMetrics } from '../shared/metrics.ts';
import { SweepRunsEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(SweepRunsEnvSchema, process.env);
const stores = createStores(env);

export const handler = createHandler({
  ...stores,
  onClosed: (count) => emitMetrics(env.STAGE, { RunsError: count }, stores.clock.now()),
});
