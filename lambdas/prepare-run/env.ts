import type * as z from 'zod';
import { PositiveIntText, SharedEnvSchema } from '../shared/env.ts';

export const PrepareRunEnvSchema = SharedEnvSchema.extend({
  /** Batches of one run evaluated at once, at most, whatever the eval's `concurrency` asks for. */
  MAX_CONCURRENT_BATCHES: PositiveIntText,
  /** Rows in flight in one Lambda, at most. */
  MAX_ROWS_IN_FLIGHT: PositiveIntText,
});
export type PrepareRunEnv = z.input<typeof PrepareRunEnvSchema>;
