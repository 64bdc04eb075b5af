import { StorageError } from '../../core/errors.ts';
import type { IngestRequest } from '../../core/schemas/ingest.ts';
import type { DatasetIngestion } from '../../ports/dataset-ingestion.ts';
import type { LambdaHandle } from './clients.ts';
import { isServiceFailure } from './service-errors.ts';

export interface LambdaDatasetIngestionOptions {
  readonly functionName: string;
  readonly lambda: LambdaHandle;
}

/** Invokes `ingest-dataset` without waiting for its result. Repeated calls are harmless: ingesting is repeatable. */
export class LambdaDatasetIngestion implements DatasetIngestion {
  private readonly options: LambdaDatasetIngestionOptions;

  constructor(options: LambdaDatasetIngestionOptions) {
    this.options = options;
  }

  /** Throws StorageError where Lambda refuses, or fails after the SDK's retries. */
  async start(request: IngestRequest): Promise<void> {
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
