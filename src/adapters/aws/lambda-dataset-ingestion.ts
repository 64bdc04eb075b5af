import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { StorageError } from '../../core/errors.ts';
import type { IngestRequest } from '../../core/schemas/ingest.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DatasetIngestion } from '../../ports/dataset-ingestion.ts';
import type { StepFunctionsHandle } from './clients.ts';

export interface LambdaDatasetIngestionOptions {
  readonly functionName: string;
  /** Whose credentials and Region are used: a client of Lambda's own would weigh 100 KB for this one call. */
  readonly account: StepFunctionsHandle;
  readonly clock: Clock;
  readonly fetch?: typeof fetch;
}

const ATTEMPTS = 4;
const BASE_WAIT_MS = 100;
const TIMEOUT_MS = 5_000;

/** Invokes `ingest-dataset` without waiting for its result. Repeated calls are harmless: ingesting is repeatable. */
export class LambdaDatasetIngestion implements DatasetIngestion {
  private readonly options: LambdaDatasetIngestionOptions;

  constructor(options: LambdaDatasetIngestionOptions) {
    this.options = options;
  }

  async start(request: IngestRequest): Promise<void> {
    const body = JSON.stringify(request);
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.invoke(body);
      if (failure === null) return;
      if (!failure.passing || attempt === ATTEMPTS) {
        throw new StorageError(`Lambda Invoke of ${this.options.functionName}: ${failure.message}`);
      }
      await this.options.clock.sleep(BASE_WAIT_MS * 2 ** attempt);
    }
  }

  private async invoke(body: string): Promise<{ message: string; passing: boolean } | null> {
    const signed = await this.sign(body);
    const send = this.options.fetch ?? fetch;
    let reply: Response;
    try {
      reply = await send(`https://${signed.hostname}${signed.path}`, {
        method: signed.method,
        headers: signed.headers,
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      return { message: error instanceof Error ? `${error.name}: ${error.message}` : String(error), passing: true };
    }
    const text = await reply.text();
    if (reply.status === 202) return null;
    return {
      message: `HTTP ${reply.status} ${text.slice(0, 300)}`,
      passing: reply.status === 429 || reply.status >= 500,
    };
  }

  private async sign(body: string) {
    const { client } = await this.options.account();
    const region = await client.config.region();
    const signer = new SignatureV4({
      service: 'lambda',
      region,
      credentials: client.config.credentials,
      sha256: Sha256,
    });
    const hostname = `lambda.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`;
    return signer.sign({
      method: 'POST',
      protocol: 'https:',
      hostname,
      path: `/2015-03-31/functions/${encodeURIComponent(this.options.functionName)}/invocations`,
      headers: { host: hostname, 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' },
      body,
    });
  }
}

/** SHA-256, keyed when there is a secret, in the form that the signer asks for. */
class Sha256 {
  private readonly secret: Uint8Array | undefined;
  private hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.secret = secret === undefined ? undefined : toBytes(secret);
    this.hash = this.begin();
  }
  update(data: Uint8Array): void {
    this.hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
  reset(): void {
    this.hash = this.begin();
  }
  private begin() {
    return this.secret === undefined ? createHash('sha256') : createHmac('sha256', this.secret);
  }
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
