import { parseEnv } from '../shared/env.ts';
import { createRegistry } from '../shared/registry.ts';
import { createSchedules } from '../shared/schedules.ts';
import { MendSchedulesEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(MendSchedulesEnvSchema, process.env);

export const handler = createHandler({ ...createRegistry(env), schedules: createSchedules(env) });
