import { createClosing } from '../shared/closing.ts';
import { parseEnv } from '../shared/env.ts';
import { emitMetrics } from '../shared/metrics.ts';
import { FailRunEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(FailRunEnvSchema, process.env);
const ports = createClosing(env);

export const handler = createHandler({
  ...ports,
  onFailed: () => emitMetrics(env.STAGE, { RunsError: 1 }, ports.clock.now()),
});
