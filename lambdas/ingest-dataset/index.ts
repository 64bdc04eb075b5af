import { unpackDataset } from '../../src/adapters/local/dataset-file.ts';
import { createStores } from '../shared/adapters.ts';
import { parseEnv } from '../shared/env.ts';
import { IngestDatasetEnvSchema } from './env.ts';
import { createHandler } from './handler.ts';

const env = parseEnv(IngestDatasetEnvSchema, process.env);

export const handler = createHandler({ ...createStores(env), unpack: unpackDataset });
