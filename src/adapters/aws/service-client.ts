import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { ConfigError } from '../../core/errors.ts';

export interface AwsClientOptions {
  /** Absent: AWS_REGION or the shared configuration, as the SDK finds it. */
  readonly region?: string;
  /** Only for stand-ins; absent: AWS_ENDPOINT_URL_… or the region's own. */
  readonly endpoint?: string;
  /** Absent: the SDK's own search. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Connections kept. @default 50 */
  readonly maxSockets?: number;
}

const CONNECT_TIMEOUT_MS = 5000;

/**
 * Settings of a client with one pool of kept connections over HTTP/1.1: the default of the Bedrock clients opens a new TLS connection
 * a call. It does not retry; callers do, since they know what a retry costs. Time limits come with each call's abort signal.
 */
export async function awsClientSettings(options: AwsClientOptions) {
  const { NodeHttpHandler } = await import('@smithy/node-http-handler');
  const pool = { keepAlive: true, maxSockets: options.maxSockets ?? 50 };
  return {
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
  };
}

interface CheckedClient {
  readonly config: { region(): Promise<string>; credentials(): Promise<unknown> };
}

export interface ClientCheck {
  /** Where the configuration names the service, such as `judge` or `targets.0`. */
  readonly field: string;
  /** Name of the service, for people. */
  readonly service: string;
  /** A Bedrock API key stands in for credentials. */
  readonly hasApiKey: boolean;
  /** What else one can do, such as `use another judge`. */
  readonly otherwise: string;
}

/** Region and credentials can be found. Throws ConfigError that says what is missing; asks AWS nothing. */
export async function checkAwsClient(
  client: CheckedClient,
  { field, service, hasApiKey, otherwise }: ClientCheck,
): Promise<void> {
  try {
    await client.config.region();
  } catch {
    const message = `no AWS region is set for ${service}`;
    throw new ConfigError([{ field: `${field}.region`, message, fix: `set ${field}.region, or AWS_REGION` }]);
  }
  if (hasApiKey) return;
  try {
    await client.config.credentials();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      {
        field,
        message: `no AWS credentials were found for ${service} (${why})`,
        fix: `sign in (aws sso login), set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ${otherwise}`,
      },
    ]);
  }
}
