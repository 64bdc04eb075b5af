import type * as z from 'zod';
import { SharedEnvSchema } from '../shared/env.ts';

export const IngestDatasetEnvSchema = SharedEnvSchema;
export type IngestDatasetEnv = z.input<typeof IngestDatasetEnvSchema>;
