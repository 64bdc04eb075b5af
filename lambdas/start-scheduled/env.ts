import * as z from 'zod';
import { SharedEnvSchema } from '../shared/env.ts';

export const StartScheduledEnvSchema = SharedEnvSchema.extend({
  /** Where the run is executed. */
  STATE_MACHINE_ARN: z.string().min(1),
});
export type StartScheduledEnv = z.input<typeof StartScheduledEnvSchema>;
