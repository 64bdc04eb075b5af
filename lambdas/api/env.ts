import * as z from 'zod';
import { SharedEnvSchema } from '../shared/env.ts';
import { SchedulesEnvSchema } from '../shared/schedules.ts';

export const ApiEnvSchema = SharedEnvSchema.extend({
  ...SchedulesEnvSchema.shape,
  STATE_MACHINE_ARN: z.string().min(1),
  /** Function that normalises large uploads; invoked without waiting for it. */
  INGEST_FUNCTION_NAME: z.string().min(1),
  /** Function that copies results to Parquet; invoked without waiting for it. */
  COMPACT_FUNCTION_NAME: z.string().min(1),
  /** How management calls prove themselves: Bearer token checked here, or IAM checked by API Gateway before us. */
  API_AUTH: z.enum(['token', 'iam']),
  /** Secret that holds the first Bearer token; only with `token`. */
  API_TOKEN_SECRET: z.string().min(1).optional(),
  /** Days that a link to a report opens without a token; 0: never. */
  REPORT_LINK_DAYS: z
    .string()
    .regex(/^[0-7]$/, 'must be 0 to 7')
    .transform(Number)
    .optional(),
  /** Base of the URLs we hand out. Absent: the host the request came to, over https. */
  PUBLIC_URL: z.string().min(1).optional(),
});
export type ApiEnv = z.input<typeof ApiEnvSchema>;
