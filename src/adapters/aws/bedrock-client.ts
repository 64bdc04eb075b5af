import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { ConfigError } from '../../core/errors.ts';

export interface BedrockClientOptions {
  /** Absent: AWS_REGION or the shared configuration, as the SDK finds it. */
  readonly region?: string;
  /** Only for stand-ins; absent: AWS_ENDPOINT_URL_BEDROCK_RUNTIME or the region's own. */
  readonly endpoint?: string;
  /** Absent: the SDK's own search. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Connections kept. @default 50 */
  readonly maxSockets?: number;
}

const CONNECT_TIMEOUT_MS = 5000;

/**
 * A client with one pool of kept connections over HTTP/1.1: the SDK's own default opens a new TLS connection a call.
 * It does not retry; callers do, since they know what a retry costs. Time limits come with each call's abort signal.
 */
export async function createBedrockClient(options: BedrockClientOptions): Promise<BedrockRuntimeClient> {
  const [{ BedrockRuntimeClient }, { NodeHttpHandler }] = await Promise.all([
    import('./sdk/bedrock-runtime.ts'),
    import('@smithy/node-http-handler'),
  ]);
  const pool = { keepAlive: true, maxSockets: options.maxSockets ?? 50 };
  return new BedrockRuntimeClient({
    ...(options.region === undefined ? {} : { region: options.region }),
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({
      httpAgent: new HttpAgent(pool),
      httpsAgent: new HttpsAgent(pool),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketAcquisitionWarningTimeout: 2 ** 31 - 1, // waiting for a socket is how the pool works, not a fault
    }),
  });
}

/** Region and credentials can be found. Throws ConfigError that says what is missing; asks AWS nothing. */
export async function checkBedrockClient(
  client: BedrockRuntimeClient,
  field: string,
  hasApiKey: boolean,
): Promise<void> {
  try {
    await client.config.region();
  } catch {
    throw new ConfigError([
      {
        field: `${field}.region`,
        message: 'no AWS region is set for Bedrock',
        fix: `set ${field}.region, or AWS_REGION`,
      },
    ]);
  }
  if (hasApiKey) return;
  try {
    await client.config.credentials();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      {
        field,
        message: `no AWS credentials were found for Bedrock (${why})`,
        fix: 'sign in (aws sso login), set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use another judge',
      },
    ]);
  }
}
