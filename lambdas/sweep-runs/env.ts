import * as z from 'zod';
import { SharedEnvSchema } from '../shared/env.ts';

export const SweepRunsEnvSchema = SharedEnvSchema.extend({
  /** To ask for the executions of runs that are still open. */
  STATE_MACHINE_ARN: z.string().min(1),
});
export type SweepRunsEnv = z.input<typeof SweepRunsEnvSchema>;
