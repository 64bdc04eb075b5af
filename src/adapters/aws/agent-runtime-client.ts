import { type AwsClientOptions, awsClientSettings } from './service-client.ts';

type AgentRuntimeSdk = typeof import('./sdk/bedrock-agent-runtime.ts');
export type AgentRuntimeClient = InstanceType<AgentRuntimeSdk['BedrockAgentRuntimeClient']>;

/** For agents and knowledge bases. See `awsClientSettings`. */
export async function createAgentRuntimeClient(options: AwsClientOptions): Promise<AgentRuntimeClient> {
  const [{ BedrockAgentRuntimeClient }, settings] = await Promise.all([
    import('./sdk/bedrock-agent-runtime.ts'),
    awsClientSettings(options),
  ]);
  return new BedrockAgentRuntimeClient(settings);
}
