import type * as z from 'zod';
import { SharedEnvSchema } from '../shared/env.ts';

export const AggregateRunEnvSchema = SharedEnvSchema;
export type AggregateRunEnv = z.input<typeof AggregateRunEnvSchema>;
