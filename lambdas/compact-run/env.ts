import * as z from 'zod';
import { SharedEnvSchema } from '../shared/env.ts';

export const CompactRunEnvSchema = SharedEnvSchema.extend({
  /** Its own name, which Lambda sets: it goes on in an invocation of its own. */
  AWS_LAMBDA_FUNCTION_NAME: z.string().min(1),
});
/** Of the variables that a deploy sets. */
export type CompactRunEnv = Omit<z.input<typeof CompactRunEnvSchema>, 'AWS_LAMBDA_FUNCTION_NAME'>;
