import { Readable } from 'node:stream';
import { StorageError } from '../../core/errors.ts';
import { readBytes } from '../../core/read-text.ts';
import type { ByteChunks } from '../../ports/run-store.ts';
import type { S3Handle } from './clients.ts';
import { isNamed, isServiceFailure } from './service-errors.ts';

export interface S3ObjectsOptions {
  readonly bucket: string;
  readonly s3: S3Handle;
}

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
}

export const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
const KEYS_A_DELETE = 1_000;
const GATHERED_BYTES = 256 * 1024;

/**
 * Objects of one bucket. Writes are atomic: readers see the old object or the new one. Whatever fails after the SDK's
 * retries is a StorageError; what a source of bytes throws is passed on as it is, and nothing is written then.
 */
export class S3Objects {
  readonly bucket: string;
  private readonly s3: S3Handle;

  constructor(options: S3ObjectsOptions) {
    this.bucket = options.bucket;
    this.s3 = options.s3;
  }

  async write(
    key: string,
    body: string | Uint8Array | AsyncIterable<string | Uint8Array>,
    contentType: string,
  ): Promise<void> {
    const { sdk, client } = await this.s3();
    const small = typeof body === 'string' ? Buffer.from(body) : body;
    const target = { Bucket: this.bucket, Key: key, ContentType: contentType };
    if (small instanceof Uint8Array && small.byteLength <= PART_BYTES) {
      await this.guard('PutObject', key, () => client.send(new sdk.PutObjectCommand({ ...target, Body: small })));
      return;
    }
    const source = new Source(small instanceof Uint8Array ? pieces(small) : small);
    const upload = new sdk.Upload({
      client,
      params: { ...target, Body: Readable.from(source.gathered(), { objectMode: true, highWaterMark: 1 }) },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
      leavePartsOnError: false,
    });
    try {
      await upload.done();
    } catch (error) {
      if (source.failure !== undefined) throw source.failure.error;
      throw this.failed('upload', key, error);
    }
  }

  /** Null when there is no such object. */
  async read(key: string): Promise<ByteChunks | null> {
    const found = await this.open(key);
    return found === null ? null : this.guarded(key, found.body);
  }

  /** Null when there is no such object; the bytes there are, from `start` to before `end`. */
  async readRange(
    key: string,
    start: number,
    end: number,
    etag?: string,
  ): Promise<{ bytes: Uint8Array; total: number; etag: string | undefined } | null> {
    const found = await this.open(key, { Range: `bytes=${start}-${end - 1}`, ...(etag ? { IfMatch: etag } : {}) });
    if (found === null) return null;
    if (found === 'out of range') return { bytes: new Uint8Array(), total: start, etag };
    const bytes = await this.guard('GetObject', key, () => readBytes(found.body));
    return { bytes, total: totalOf(found.contentRange) ?? start + bytes.byteLength, etag: found.etag };
  }

  /** In the order of their keys. */
  async list(prefix: string): Promise<ListedObject[]> {
    const { sdk, client } = await this.s3();
    const found: ListedObject[] = [];
    let token: string | undefined;
    do {
      const command = new sdk.ListObjectsV2Command({
        Bucket: this.bucket,
        Prefix: prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await this.guard('ListObjectsV2', prefix, () => client.send(command));
      for (const object of page.Contents ?? []) {
        if (object.Key !== undefined) found.push({ key: object.Key, bytes: object.Size ?? 0 });
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return found.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  }

  async deleteAll(prefix: string): Promise<void> {
    await this.delete((await this.list(prefix)).map(({ key }) => key));
  }

  async delete(keys: readonly string[]): Promise<void> {
    const { sdk, client } = await this.s3();
    for (let start = 0; start < keys.length; start += KEYS_A_DELETE) {
      const Objects = keys.slice(start, start + KEYS_A_DELETE).map((Key) => ({ Key }));
      const command = new sdk.DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects, Quiet: true } });
      const reply = await this.guard('DeleteObjects', keys[start] ?? '', () => client.send(command));
      const first = reply.Errors?.[0];
      if (first !== undefined) {
        throw new StorageError(
          `S3 DeleteObjects: ${reply.Errors?.length} objects of ${this.bucket} were not deleted ` +
            `(${first.Key}: ${first.Code} ${first.Message})`,
        );
      }
    }
  }

  /** Within the bucket, up to 5 GB; the bytes stay in S3. */
  async copy(from: string, to: string): Promise<void> {
    const { sdk, client } = await this.s3();
    const source = [this.bucket, ...from.split('/')].map(encodeURIComponent).join('/');
    const command = new sdk.CopyObjectCommand({ Bucket: this.bucket, Key: to, CopySource: source });
    await this.guard('CopyObject', from, () => client.send(command));
  }

  /** A URL that takes one PUT of exactly `bytes` bytes. */
  async presignPut(key: string, bytes: number, expiresInSeconds: number): Promise<string> {
    const { sdk, presigner } = await this.s3();
    const command = new sdk.PutObjectCommand({ Bucket: this.bucket, Key: key, ContentLength: bytes });
    return this.guard('presign', key, () => sdk.getSignedUrl(presigner, command, { expiresIn: expiresInSeconds }));
  }

  /** A URL that gives the object for a while, to be kept by no cache. */
  async presignGet(key: string, expiresInSeconds: number): Promise<string> {
    const { sdk, presigner } = await this.s3();
    const command = new sdk.GetObjectCommand({ Bucket: this.bucket, Key: key, ResponseCacheControl: 'no-store' });
    return this.guard('presign', key, () => sdk.getSignedUrl(presigner, command, { expiresIn: expiresInSeconds }));
  }

  uri(key: string): string {
    return `s3://${this.bucket}/${key}`;
  }

  /** For errors while reading what `read` gave: a broken connection, a damaged archive. */
  failed(operation: string, key: string, error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    return new StorageError(`S3 ${operation} of ${this.uri(key)}: ${error.name}: ${error.message}`, { cause: error });
  }

  private async open(key: string): Promise<Opened | null>;
  private async open(key: string, range: { Range: string; IfMatch?: string }): Promise<Opened | 'out of range' | null>;
  private async open(key: string, range = {}): Promise<Opened | 'out of range' | null> {
    const { sdk, client } = await this.s3();
    try {
      const reply = await client.send(new sdk.GetObjectCommand({ Bucket: this.bucket, Key: key, ...range }));
      return { body: reply.Body as Readable, contentRange: reply.ContentRange, etag: reply.ETag };
    } catch (error) {
      if (isNamed(error, 'NoSuchKey')) return null;
      if (isNamed(error, 'InvalidRange')) return 'out of range';
      throw this.serviceFailure('GetObject', key, error);
    }
  }

  private async *guarded(key: string, body: Readable): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) yield chunk as Uint8Array;
    } catch (error) {
      throw this.failed('GetObject', key, error);
    } finally {
      body.destroy();
    }
  }

  private async guard<T>(operation: string, key: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw this.serviceFailure(operation, key, error);
    }
  }

  private serviceFailure(operation: string, key: string, error: unknown): unknown {
    return error instanceof Error && isServiceFailure(error) ? this.failed(operation, key, error) : error;
  }
}

interface Opened {
  readonly body: Readable;
  readonly contentRange: string | undefined;
  readonly etag: string | undefined;
}

/** Remembers what the caller's own source threw, so that it is not taken for a failure of S3. */
class Source {
  failure: { readonly error: unknown } | undefined;
  private readonly chunks: AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>;

  constructor(chunks: AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>) {
    this.chunks = chunks;
  }

  /** Small pieces gathered: a line a row is not a chunk a row. */
  async *gathered(): AsyncGenerator<Buffer> {
    let pending: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of this.chunks) {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk);
        pending.push(bytes);
        size += bytes.byteLength;
        if (size < GATHERED_BYTES) continue;
        yield Buffer.concat(pending);
        pending = [];
        size = 0;
      }
    } catch (error) {
      this.failure = { error };
      throw error;
    }
    yield Buffer.concat(pending);
  }
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += PART_BYTES) yield bytes.subarray(start, start + PART_BYTES);
}

/** `bytes 0-99/1234` → 1234 */
function totalOf(contentRange: string | undefined): number | undefined {
  const total = Number(contentRange?.split('/')[1]);
  return Number.isFinite(total) ? total : undefined;
}
