import { createStores } from '../shared/adapters.ts';
import { parseEnv } from '../shared/env.ts';
import { emitMetrics } from '../shared/metrics.ts';
import { openEnvironmentOf } from '../shared/open-environment.ts';
import { EvaluateRowsEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(EvaluateRowsEnvSchema, process.env);
const stores = createStores(env);

export const handler = createHandler({
  ...stores,
  openEnvironment: openEnvironmentOf(env, stores),
  limits: { maxBatches: env.MAX_CONCURRENT_BATCHES, maxInFlight: env.MAX_ROWS_IN_FLIGHT },
  onThrottled: ({ targets, judges }) => {
    if (targets + judges === 0) return;
    emitMetrics(env.STAGE, { TargetThrottles: targets, JudgeThrottles: judges }, stores.clock.now());
  },
  onBatch: (counters) =>
    emitMetrics(
      env.STAGE,
      {
        RowsScored: counters.scored,
        RowsTargetError: counters.target_error,
        RowsJudgeError: counters.judge_error,
        RowsSkipped: counters.skipped,
        CostUsd: counters.cost_usd,
      },
      stores.clock.now(),
    ),
});
