import type * as z from 'zod';
import { SharedEnvSchema } from '../shared/env.ts';

export const FailRunEnvSchema = SharedEnvSchema;
export type FailRunEnv = z.input<typeof FailRunEnvSchema>;
