import { createStores, NO_ENVIRONMENT } from '../shared/adapters.ts';
import { parseEnv } from '../shared/env.ts';
import { emitMetrics } from '../shared/metrics.ts';
import { createRunEvents } from '../shared/run-events.ts';
import { AggregateRunEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(AggregateRunEnvSchema, process.env);
const stores = createStores(env);
const METRIC_OF_GATE = { pass: 'RunsPassed', fail: 'RunsFailed', error: 'RunsError' } as const;

export const handler = createHandler({
  ...stores,
  ...NO_ENVIRONMENT,
  events: createRunEvents(env, stores.clock),
  onDecided: (gate) => emitMetrics(env.STAGE, { [METRIC_OF_GATE[gate]]: 1 }, stores.clock.now()),
});
