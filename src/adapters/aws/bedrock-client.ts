import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { type AwsClientOptions, awsClientSettings, checkAwsClient } from './service-client.ts';

export type BedrockClientOptions = AwsClientOptions;

/** See `awsClientSettings`. */
export async function createBedrockClient(options: BedrockClientOptions): Promise<BedrockRuntimeClient> {
  const [{ BedrockRuntimeClient }, settings] = await Promise.all([
    import('./sdk/bedrock-runtime.ts'),
    awsClientSettings(options),
  ]);
  return new BedrockRuntimeClient(settings);
}

/** Region and credentials can be found. Throws ConfigError that says what is missing; asks AWS nothing. */
export async function checkBedrockClient(
  client: BedrockRuntimeClient,
  field: string,
  hasApiKey: boolean,
): Promise<void> {
  await checkAwsClient(client, { field, service: 'Bedrock', hasApiKey, otherwise: 'use another judge' });
}
