import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { NodeHttpHandler } from '@smithy/node-http-handler';

/** Where the services are. All of it may be left to the environment, as in Lambda. */
export interface AwsSettings {
  readonly region?: string;
  /** An emulator's address; absent: the SDK's own rules (`AWS_ENDPOINT_URL_…`, then AWS). */
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Attempts of one call, the first included. @default 5 for DynamoDB and S3, else 3 */
  readonly maxAttempts?: number;
}

/** A client with the calls it makes; built on first use, once. */
export interface Loaded<Sdk, Client> {
  readonly sdk: Sdk;
  readonly client: Client;
}
export type Lazy<T> = () => Promise<T>;

type DynamoSdk = typeof import('./sdk/dynamodb.ts');
type S3Sdk = typeof import('./sdk/s3.ts');
type StepFunctionsSdk = typeof import('./sdk/step-functions.ts');
type SecretsSdk = typeof import('./sdk/secrets-manager.ts');
type LambdaSdk = typeof import('./sdk/lambda.ts');
type EventBridgeSdk = typeof import('./sdk/eventbridge.ts');
type SchedulerSdk = typeof import('./sdk/scheduler.ts');

export type DynamoHandle = Lazy<Loaded<DynamoSdk, DynamoDBDocumentClient>>;
type S3 = InstanceType<S3Sdk['S3Client']>;
/** `presigner` signs URLs for others to send: see `s3Handle`. */
export type S3Handle = Lazy<Loaded<S3Sdk, S3> & { readonly presigner: S3 }>;
export type StepFunctionsHandle = Lazy<Loaded<StepFunctionsSdk, InstanceType<StepFunctionsSdk['SFNClient']>>>;
export type SecretsHandle = Lazy<Loaded<SecretsSdk, InstanceType<SecretsSdk['SecretsManagerClient']>>>;
export type LambdaHandle = Lazy<Loaded<LambdaSdk, InstanceType<LambdaSdk['LambdaClient']>>>;
export type EventBridgeHandle = Lazy<Loaded<EventBridgeSdk, InstanceType<EventBridgeSdk['EventBridgeClient']>>>;
export type SchedulerHandle = Lazy<Loaded<SchedulerSdk, InstanceType<SchedulerSdk['SchedulerClient']>>>;

export function dynamoHandle(settings: AwsSettings = {}): DynamoHandle {
  return once(async () => {
    const sdk = await import('./sdk/dynamodb.ts');
    const client = new sdk.DynamoDBClient(await clientSettings(settings, { maxAttempts: 5, requestTimeoutMs: 5_000 }));
    return { sdk, client: sdk.DynamoDBDocumentClient.from(client, { marshallOptions: MARSHALL_OPTIONS }) };
  });
}

export function s3Handle(settings: AwsSettings = {}): S3Handle {
  return once(async () => {
    const sdk = await import('./sdk/s3.ts');
    const config = await clientSettings(settings, { maxAttempts: 5, requestTimeoutMs: 60_000 });
    const client = new sdk.S3Client(config);
    // The default signs the checksum of nothing into a URL, and the upload through it is refused.
    const presigner = new sdk.S3Client({ ...config, requestChecksumCalculation: 'WHEN_REQUIRED' });
    return { sdk, client, presigner };
  });
}

export function stepFunctionsHandle(settings: AwsSettings = {}): StepFunctionsHandle {
  return once(async () => {
    const sdk = await import('./sdk/step-functions.ts');
    return {
      sdk,
      client: new sdk.SFNClient(await clientSettings(settings, { maxAttempts: 3, requestTimeoutMs: 10_000 })),
    };
  });
}

export function secretsHandle(settings: AwsSettings = {}): SecretsHandle {
  return once(async () => {
    const sdk = await import('./sdk/secrets-manager.ts');
    const client = new sdk.SecretsManagerClient(
      await clientSettings(settings, { maxAttempts: 3, requestTimeoutMs: 5_000 }),
    );
    return { sdk, client };
  });
}

export function lambdaHandle(settings: AwsSettings = {}): LambdaHandle {
  return once(async () => {
    const sdk = await import('./sdk/lambda.ts');
    return {
      sdk,
      client: new sdk.LambdaClient(await clientSettings(settings, { maxAttempts: 4, requestTimeoutMs: 5_000 })),
    };
  });
}

export function schedulerHandle(settings: AwsSettings = {}): SchedulerHandle {
  return once(async () => {
    const sdk = await import('./sdk/scheduler.ts');
    return {
      sdk,
      client: new sdk.SchedulerClient(await clientSettings(settings, { maxAttempts: 4, requestTimeoutMs: 5_000 })),
    };
  });
}

export function eventBridgeHandle(settings: AwsSettings = {}): EventBridgeHandle {
  return once(async () => {
    const sdk = await import('./sdk/eventbridge.ts');
    const client = new sdk.EventBridgeClient(
      await clientSettings(settings, { maxAttempts: 3, requestTimeoutMs: 3_000 }),
    );
    return { sdk, client };
  });
}

/**
 * Deliberate: an absent optional field is simply not stored; NaN and infinities throw (they are bugs, never values);
 * an empty text stays an empty text; a class instance is no item.
 */
const MARSHALL_OPTIONS = {
  removeUndefinedValues: true,
  convertEmptyValues: false,
  convertClassInstanceToMap: false,
} as const;

interface Defaults {
  readonly maxAttempts: number;
  readonly requestTimeoutMs: number;
}

async function clientSettings(settings: AwsSettings, defaults: Defaults) {
  return {
    ...(settings.region === undefined ? {} : { region: settings.region }),
    ...(settings.endpoint === undefined ? {} : { endpoint: settings.endpoint }),
    ...(settings.credentials === undefined ? {} : { credentials: settings.credentials }),
    maxAttempts: settings.maxAttempts ?? defaults.maxAttempts,
    requestHandler: await pooledHandler(defaults.requestTimeoutMs),
  };
}

/** Connections are kept and bounded, and a call that hangs ends: the SDK's default only warns about it. */
async function pooledHandler(requestTimeoutMs: number): Promise<NodeHttpHandler> {
  const { NodeHttpHandler: Handler } = await import('@smithy/node-http-handler');
  const pool = { keepAlive: true, maxSockets: 50 };
  return new Handler({
    httpAgent: new HttpAgent(pool),
    httpsAgent: new HttpsAgent(pool),
    connectionTimeout: 2_000,
    requestTimeout: requestTimeoutMs,
    throwOnRequestTimeout: true,
  });
}

/** A failed build is tried again by the next caller. */
function once<T>(build: () => Promise<T>): Lazy<T> {
  let built: Promise<T> | undefined;
  return () => {
    built ??= build().catch((error: unknown) => {
      built = undefined;
      throw error;
    });
    return built;
  };
}
