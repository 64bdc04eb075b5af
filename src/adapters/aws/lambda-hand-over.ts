import { StorageError } from '../../core/errors.ts';
import type { LambdaHandle } from './clients.ts';
import { isServiceFailure } from './service-errors.ts';

export interface LambdaHandOverOptions {
  readonly functionName: string;
  readonly lambda: LambdaHandle;
}

/** Invokes a function of ours without waiting for its result. What is handed over may arrive twice. */
export class LambdaHandOver {
  private readonly options: LambdaHandOverOptions;

  constructor(options: LambdaHandOverOptions) {
    this.options = options;
  }

  /** Throws StorageError where Lambda refuses, or fails after the SDK's retries. */
  async start(request: object): Promise<void> {
    const { functionName, lambda } = this.options;
    const { sdk, client } = await lambda();
    try {
      const Payload = Buffer.from(JSON.stringify(request));
      await client.send(new sdk.InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }));
    } catch (error) {
      if (!(error instanceof Error) || !isServiceFailure(error)) throw error;
      throw new StorageError(`Lambda Invoke of ${functionName}: ${error.name}: ${error.message}`, { cause: error });
    }
  }
}
