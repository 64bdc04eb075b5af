import { parseEnv } from '../shared/env.ts';
import { emitMetrics } from '../shared/metrics.ts';
import { createRegistry } from '../shared/registry.ts';
import { FailRunEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(FailRunEnvSchema, process.env);
const ports = createRegistry(env);

export const handler = createHandler({
  ...ports,
  onFailed: () => emitMetrics(env.STAGE, { RunsError: 1 }, ports.clock.now()),
});
