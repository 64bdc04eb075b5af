import { DatasetError } from '../../core/errors.ts';
import type { DatasetStore } from '../../ports/dataset-store.ts';
import type { ByteChunks } from '../../ports/run-store.ts';
import { partFault, partSizes, withLineFeeds } from '../aws/s3-dataset-store.ts';
import { allBytes, inChunks } from './memory-run-store.ts';

interface Upload {
  readonly bytes: number;
  readonly parts: Map<number, Uint8Array>;
  complete: boolean;
}

/** Datasets and uploads in this process, for tests of use cases; `putPart` does what a PUT to a part's URL would. */
export class MemoryDatasetStore implements DatasetStore {
  private readonly datasets = new Map<string, Uint8Array>();
  private readonly uploads = new Map<string, Upload>();

  async write(project: string, dataset: string, version: string, lines: AsyncIterable<string>): Promise<void> {
    const bytes = await allBytes(withLineFeeds(lines));
    this.datasets.set(`${project}/${dataset}/${version}`, bytes);
  }

  async read(project: string, dataset: string, version: string): Promise<ByteChunks | null> {
    const bytes = this.datasets.get(`${project}/${dataset}/${version}`);
    return bytes === undefined ? null : inChunks(bytes);
  }

  async delete(project: string, dataset: string): Promise<void> {
    for (const key of this.datasets.keys()) if (key.startsWith(`${project}/${dataset}/`)) this.datasets.delete(key);
  }

  async openUpload(project: string, uploadId: string, sizeBytes: number): Promise<{ partUrls: readonly string[] }> {
    const parts = partSizes(sizeBytes);
    this.uploads.set(`${project}/${uploadId}`, { bytes: sizeBytes, parts: new Map(), complete: false });
    return { partUrls: parts.map((_, index) => `memory:uploads/${project}/${uploadId}/${index + 1}`) };
  }

  putPart(url: string, bytes: Uint8Array): void {
    const [, project, uploadId, part] = url.split('/');
    this.uploads.get(`${project}/${uploadId}`)?.parts.set(Number(part), bytes);
  }

  async completeUpload(project: string, uploadId: string): Promise<void> {
    const upload = this.uploads.get(`${project}/${uploadId}`);
    if (upload === undefined)
      throw new DatasetError([{ message: `there is no upload "${uploadId}"`, fix: 'begin a new one' }]);
    const faults = partSizes(upload.bytes).flatMap((bytes, index) => {
      const found = upload.parts.get(index + 1)?.byteLength;
      return found === bytes ? [] : [partFault(index + 1, bytes, found)];
    });
    if (faults.length > 0) throw new DatasetError(faults);
    upload.complete = true;
  }

  async readUpload(project: string, uploadId: string): Promise<ByteChunks | null> {
    const upload = this.uploads.get(`${project}/${uploadId}`);
    if (!upload?.complete) return null;
    const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
    return inChunks(Buffer.concat(parts));
  }

  async deleteUpload(project: string, uploadId: string): Promise<void> {
    this.uploads.delete(`${project}/${uploadId}`);
  }
}
