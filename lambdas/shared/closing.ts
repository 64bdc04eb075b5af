import { s3Handle } from '../../src/adapters/aws/clients.ts';
import { S3Objects } from '../../src/adapters/aws/s3-objects.ts';
import { S3ResultParts } from '../../src/adapters/aws/s3-result-parts.ts';
import { createRegistry, type RegistryEnv } from './registry.ts';
import { createRunEvents } from './run-events.ts';

export interface ClosingEnv extends RegistryEnv {
  readonly STAGE: string;
  readonly BUCKET_NAME: string;
  readonly EVENT_BUS_NAME: string;
}

/** For functions that close runs and do nothing else with them: registry, the table `runs`, events. */
export function createClosing(env: ClosingEnv) {
  const registry = createRegistry(env);
  const parts = new S3ResultParts(new S3Objects({ bucket: env.BUCKET_NAME, s3: s3Handle() }));
  return { ...registry, parts, events: createRunEvents(env, registry.clock) };
}
