import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { MapChild, ResultFile } from './checkpoint.ts';
import type { ResultWriter } from './definition.ts';
import { StateFailure } from './failure.ts';
import type { ObjectStore } from './services.ts';

export type Transformation = NonNullable<ResultWriter['WriterConfig']>['Transformation'];
type Kind = 'SUCCEEDED' | 'FAILED' | 'PENDING';

interface ResultFilesOptions {
  readonly store: ObjectStore;
  readonly bucket: string;
  /** Folder of the Map Run, without a slash at the end. */
  readonly folder: string;
  readonly mapRunArn: string;
  readonly lines: boolean;
  /** Number of this attempt, from 0: a redrive adds files to those that are there. */
  readonly attempt: number;
}

/** The files a ResultWriter leaves in S3. Records are written as children end; the manifest names the files. */
export class ResultFiles {
  private readonly options: ResultFilesOptions;
  private readonly files = new Map<Kind, RecordFile>();

  constructor(options: ResultFilesOptions) {
    this.options = options;
  }

  async append(kind: Kind, record: JsonValue): Promise<void> {
    let file = this.files.get(kind);
    if (file === undefined) {
      const { store, bucket, folder, lines, attempt } = this.options;
      file = new RecordFile(store, bucket, `${folder}/${kind}_${attempt}.json`, lines);
      this.files.set(kind, file);
    }
    await file.append(record);
  }

  /** Ends a file; undefined when nothing was written to it. */
  async close(kind: Kind): Promise<ResultFile | undefined> {
    const file = this.files.get(kind);
    this.files.delete(kind);
    return file?.close();
  }

  /** Ends the rest and writes the manifest. Gives what the Map state puts out. */
  async finish(succeeded: readonly ResultFile[]): Promise<JsonObject> {
    const { store, bucket, folder, mapRunArn } = this.options;
    const list = (file: ResultFile | undefined) => (file === undefined ? [] : [{ ...file }]);
    const manifest = {
      DestinationBucket: bucket,
      MapRunArn: mapRunArn,
      ResultFiles: {
        FAILED: list(await this.close('FAILED')),
        PENDING: list(await this.close('PENDING')),
        SUCCEEDED: succeeded.map((file) => ({ ...file })),
      },
    };
    const Key = `${folder}/manifest.json`;
    await put(store, bucket, Key, [Buffer.from(JSON.stringify(manifest))]);
    return { MapRunArn: mapRunArn, ResultWriterDetails: { Bucket: bucket, Key } };
  }
}

/** A child with its metadata, as NONE writes it and as failed children always are. */
export function childRecord(
  child: MapChild,
  arns: { readonly execution: string; readonly stateMachine: string },
  outcome: { readonly status: 'SUCCEEDED' | 'FAILED' | 'ABORTED' | 'PENDING'; readonly output?: JsonValue },
): JsonObject {
  const { output, status } = outcome;
  const failed = status === 'FAILED' || status === 'ABORTED';
  return {
    ExecutionArn: arns.execution,
    Input: JSON.stringify(child.input),
    InputDetails: { Included: true },
    Name: child.name,
    ...(output === undefined ? {} : { Output: JSON.stringify(output), OutputDetails: { Included: true } }),
    ...(child.error === undefined ? {} : { Error: child.error }),
    ...(child.cause === undefined ? {} : { Cause: child.cause }),
    RedriveCount: child.redriveCount,
    RedriveStatus: failed ? 'REDRIVABLE_BY_MAP_RUN' : 'NOT_REDRIVABLE',
    ...(status === 'PENDING' ? {} : { StartDate: child.startTime }),
    StateMachineArn: arns.stateMachine,
    Status: status,
    ...(child.stopTime === undefined ? {} : { StopDate: child.stopTime }),
  };
}

/** An output as records: FLATTEN takes arrays apart. */
export function outputRecords(output: JsonValue, transformation: Transformation): readonly JsonValue[] {
  return transformation === 'FLATTEN' && Array.isArray(output) ? output : [output];
}

/** A JSON array or JSON Lines, uploaded while it grows. */
class RecordFile {
  private readonly key: string;
  private readonly lines: boolean;
  private readonly stream = new PassThrough();
  private readonly upload: Promise<void>;
  private fault: StateFailure | undefined;
  private records = 0;
  private size = 0;

  constructor(store: ObjectStore, bucket: string, key: string, lines: boolean) {
    this.key = key;
    this.lines = lines;
    // The uploader is told of faults through the stream; without a listener they would end the process.
    this.stream.on('error', () => {});
    this.upload = put(store, bucket, key, this.stream).catch((error: StateFailure) => {
      this.fault = error;
      this.stream.destroy();
    });
  }

  async append(record: JsonValue): Promise<void> {
    const before = this.lines ? '' : this.records === 0 ? '[' : ',';
    this.records += 1;
    await this.write(`${before}${JSON.stringify(record)}${this.lines ? '\n' : ''}`);
  }

  async close(): Promise<ResultFile> {
    if (!this.lines) await this.write(']');
    this.stream.end();
    await this.upload;
    if (this.fault !== undefined) throw this.fault;
    return { Key: this.key, Size: this.size };
  }

  private async write(text: string): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
    this.size += Buffer.byteLength(text);
    if (!this.stream.write(text)) await Promise.race([once(this.stream, 'drain').catch(() => {}), this.upload]);
    if (this.fault !== undefined) throw this.fault;
  }
}

async function put(
  store: ObjectStore,
  bucket: string,
  key: string,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  try {
    await store.putObject(bucket, key, Symbol.asyncIterator in body ? body : each(body));
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    throw new StateFailure('States.ResultWriterFailed', `s3://${bucket}/${key}: ${told}`);
  }
}

async function* each(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* parts;
}
