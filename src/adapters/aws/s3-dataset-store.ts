import * as z from 'zod';
import { DatasetError, StorageError } from '../../core/errors.ts';
import { readText } from '../../core/read-text.ts';
import type { DatasetStore } from '../../ports/dataset-store.ts';
import type { ByteChunks } from '../../ports/run-store.ts';
import { objectKeys } from './object-keys.ts';
import type { S3Objects } from './s3-objects.ts';
import { PART_BYTES } from './s3-objects.ts';

const LARGEST_UPLOAD_BYTES = 10 * 1024 ** 3;
const URL_SECONDS = 3_600;

const UploadSchema = z.object({ bytes: z.number().int().positive(), complete: z.boolean() });
type Upload = z.infer<typeof UploadSchema>;

/**
 * Datasets under `datasets/`; uploads under `uploads/<project>/<upload>/`, an object a part beside `upload.json`.
 * Parts are plain objects and no S3 multipart upload, so that whoever sends them needs a PUT and nothing of its reply.
 */
export class S3DatasetStore implements DatasetStore {
  private readonly objects: S3Objects;

  constructor(objects: S3Objects) {
    this.objects = objects;
  }

  async write(project: string, dataset: string, version: string, lines: AsyncIterable<string>): Promise<void> {
    const key = objectKeys.dataset(project, dataset, version);
    await this.objects.write(key, withLineFeeds(lines), 'application/x-ndjson');
  }

  async read(project: string, dataset: string, version: string): Promise<ByteChunks | null> {
    return this.objects.read(objectKeys.dataset(project, dataset, version));
  }

  async delete(project: string, dataset: string): Promise<void> {
    await this.objects.deleteAll(objectKeys.datasets(project, dataset));
  }

  /** Throws DatasetError on a size that is none or too large. */
  async openUpload(project: string, uploadId: string, sizeBytes: number): Promise<{ partUrls: readonly string[] }> {
    const parts = partSizes(sizeBytes);
    await this.keep(project, uploadId, { bytes: sizeBytes, complete: false });
    const partUrls: string[] = [];
    for (const [index, bytes] of parts.entries()) {
      const key = objectKeys.uploadPart(project, uploadId, index + 1);
      partUrls.push(await this.objects.presignPut(key, bytes, URL_SECONDS));
    }
    return { partUrls };
  }

  /** Throws DatasetError that names the parts that are missing or have another size than announced. */
  async completeUpload(project: string, uploadId: string): Promise<void> {
    const upload = await this.find(project, uploadId);
    if (upload === null)
      throw new DatasetError([{ message: `there is no upload "${uploadId}"`, fix: 'begin a new one' }]);
    const listed = await this.objects.list(objectKeys.upload(project, uploadId));
    const sizes = new Map(listed.map((object) => [object.key, object.bytes]));
    const faults = partSizes(upload.bytes).flatMap((bytes, index) => {
      const found = sizes.get(objectKeys.uploadPart(project, uploadId, index + 1));
      return found === bytes ? [] : [partFault(index + 1, bytes, found)];
    });
    if (faults.length > 0) throw new DatasetError(faults.slice(0, 100));
    await this.keep(project, uploadId, { ...upload, complete: true });
  }

  async readUpload(project: string, uploadId: string): Promise<ByteChunks | null> {
    const upload = await this.find(project, uploadId);
    return upload?.complete ? this.parts(project, uploadId, partSizes(upload.bytes).length) : null;
  }

  async deleteUpload(project: string, uploadId: string): Promise<void> {
    await this.objects.deleteAll(objectKeys.upload(project, uploadId));
  }

  private async *parts(project: string, uploadId: string, count: number): AsyncGenerator<Uint8Array> {
    for (let part = 1; part <= count; part += 1) {
      const key = objectKeys.uploadPart(project, uploadId, part);
      const chunks = await this.objects.read(key);
      if (chunks === null) throw new StorageError(`${this.objects.uri(key)} has vanished`);
      yield* chunks;
    }
  }

  private async keep(project: string, uploadId: string, upload: Upload): Promise<void> {
    const key = `${objectKeys.upload(project, uploadId)}upload.json`;
    await this.objects.write(key, JSON.stringify(upload), 'application/json');
  }

  private async find(project: string, uploadId: string): Promise<Upload | null> {
    const chunks = await this.objects.read(`${objectKeys.upload(project, uploadId)}upload.json`);
    return chunks === null ? null : UploadSchema.parse(JSON.parse(await readText(chunks)));
  }
}

/** Sizes of the parts of an upload, in order. Throws DatasetError on a size that is none or too large. */
export function partSizes(sizeBytes: number): number[] {
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 1) {
    throw new DatasetError([
      { field: 'size', message: `${sizeBytes} is not a size in bytes`, fix: 'send a file with rows' },
    ]);
  }
  if (sizeBytes > LARGEST_UPLOAD_BYTES) {
    throw new DatasetError([
      { field: 'size', message: `the file has ${sizeBytes} bytes, at most 10 GB are taken`, fix: 'split the dataset' },
    ]);
  }
  const count = Math.ceil(sizeBytes / PART_BYTES);
  return Array.from({ length: count }, (_, index) => Math.min(PART_BYTES, sizeBytes - index * PART_BYTES));
}

export function partFault(part: number, expected: number, found: number | undefined) {
  return {
    message:
      found === undefined
        ? `part ${part} of the upload is missing`
        : `part ${part} of the upload has ${found} bytes, ${expected} were announced`,
    fix: `PUT part ${part} again`,
  };
}

export async function* withLineFeeds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield line.endsWith('\n') ? line : `${line}\n`;
}
