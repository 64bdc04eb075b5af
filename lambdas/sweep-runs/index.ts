import { createClosing } from '../shared/closing.ts';
import { parseEnv } from '../shared/env.ts';
import { emitMetrics } from '../shared/metrics.ts';
import { SweepRunsEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(SweepRunsEnvSchema, process.env);
const ports = createClosing(env);

export const handler = createHandler({
  ...ports,
  onClosed: (count) => emitMetrics(env.STAGE, { RunsError: count }, ports.clock.now()),
});
