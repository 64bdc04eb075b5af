import type * as z from 'zod';
import { SharedEnvSchema } from '../shared/env.ts';
import { SchedulesEnvSchema } from '../shared/schedules.ts';

export const MendSchedulesEnvSchema = SharedEnvSchema.extend(SchedulesEnvSchema.shape);
export type MendSchedulesEnv = z.input<typeof MendSchedulesEnvSchema>;
