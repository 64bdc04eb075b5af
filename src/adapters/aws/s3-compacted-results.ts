import { StorageError } from '../../core/errors.ts';
import type { CompactedResults, PartRange, StagedFile } from '../../ports/compacted-results.ts';
import type { RunRef } from '../../ports/result-parts.ts';
import type { ByteChunks } from '../../ports/run-store.ts';
import { objectKeys, partNumber } from './object-keys.ts';
import type { S3Objects } from './s3-objects.ts';
import { unpackedPart } from './unpacked-part.ts';

const STAGED = /\/(\d{8})-(\d{8})\.rows-(\d+)\.parquet$/;

/** Parquet files under `compacting/` until all are there, then under `parquet/`, where the table looks. */
export class S3CompactedResults implements CompactedResults {
  private readonly objects: S3Objects;

  constructor(objects: S3Objects) {
    this.objects = objects;
  }

  async *parts(run: RunRef, after: number): AsyncGenerator<{ part: number; lines: ByteChunks }> {
    for (const { key } of await this.objects.list(objectKeys.results(run))) {
      const part = partNumber(key);
      if (part > after) yield { part, lines: unpackedPart(this.objects, key) };
    }
  }

  async staged(run: RunRef): Promise<readonly StagedFile[]> {
    const found = await this.objects.list(objectKeys.compacting(run));
    return found.flatMap(({ key, bytes }) => {
      const [, from, to, rows] = STAGED.exec(key) ?? [];
      return from === undefined ? [] : [{ fromPart: Number(from), toPart: Number(to), rows: Number(rows), bytes }];
    });
  }

  async stage(run: RunRef, range: PartRange & { readonly rows: number }, file: Uint8Array): Promise<void> {
    await this.objects.write(stagedKey(run, range), file, 'application/vnd.apache.parquet');
  }

  /** What is new first, then what was there before: a query meanwhile may count rows twice, and misses none. */
  async publish(run: RunRef, files: readonly StagedFile[]): Promise<void> {
    const folder = objectKeys.parquet(run);
    const published = new Set(files.map((file) => `${folder}${rangeName(file)}.parquet`));
    const former = (await this.objects.list(folder)).map(({ key }) => key);
    for (const file of files) await this.objects.copy(stagedKey(run, file), `${folder}${rangeName(file)}.parquet`);
    await this.objects.delete(former.filter((key) => !published.has(key)));
    await this.objects.deleteAll(objectKeys.compacting(run));
  }
}

function stagedKey(run: RunRef, range: PartRange & { readonly rows: number }): string {
  return `${objectKeys.compacting(run)}${rangeName(range)}.rows-${range.rows}.parquet`;
}

function rangeName({ fromPart, toPart }: PartRange): string {
  if (fromPart > toPart) throw new StorageError(`a file cannot hold parts ${fromPart} to ${toPart}`);
  return [fromPart, toPart].map((part) => String(part).padStart(8, '0')).join('-');
}
