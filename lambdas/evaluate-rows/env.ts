import type * as z from 'zod';
import { PositiveIntText, SharedEnvSchema } from '../shared/env.ts';

export const EvaluateRowsEnvSchema = SharedEnvSchema.extend({
  /** As prepare-run has it: both must divide the eval's `concurrency` alike. */
  MAX_CONCURRENT_BATCHES: PositiveIntText,
  MAX_ROWS_IN_FLIGHT: PositiveIntText,
});
export type EvaluateRowsEnv = z.input<typeof EvaluateRowsEnvSchema>;
