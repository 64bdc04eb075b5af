import { randomBytes } from 'node:crypto';
import { parseEnv } from '../shared/env.ts';
import { createRegistry } from '../shared/registry.ts';
import { StartScheduledEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(StartScheduledEnvSchema, process.env);

export const handler = createHandler({ ...createRegistry(env), randomBytes });
