import { parseEnv } from '../shared/env.ts';
import { emitMetrics } from '../shared/metrics.ts';
import { createRegistry } from '../shared/registry.ts';
import { SweepRunsEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(SweepRunsEnvSchema, process.env);
const ports = createRegistry(env);

export const handler = createHandler({
  ...ports,
  onClosed: (count) => emitMetrics(env.STAGE, { RunsError: count }, ports.clock.now()),
});
