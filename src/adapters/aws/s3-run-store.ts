import { lineBatches } from '../../core/jsonl.ts';
import type { ByteChunks, RunFile, RunStore } from '../../ports/run-store.ts';
import { objectKeys } from './object-keys.ts';
import type { S3Objects } from './s3-objects.ts';

const CONTENT_TYPES: Record<RunFile, string> = {
  'config.json': 'application/json',
  'rows.jsonl': 'application/x-ndjson',
  'canaries.json': 'application/json',
  'outcomes.jsonl.gz': 'application/gzip',
  'summary.json': 'application/json',
  'report.html': 'text/html; charset=utf-8',
  'junit.xml': 'application/xml',
};

/** A batch of rows is mostly smaller than the first range; each range after it is twice as long. */
const FIRST_RANGE_BYTES = 256 * 1024;
const LONGEST_RANGE_BYTES = 8 * 1024 * 1024;

/** Files of a project's runs under `runs/<project>/<run>/`. */
export class S3RunStore implements RunStore {
  private readonly objects: S3Objects;
  private readonly project: string;

  constructor(objects: S3Objects, project: string) {
    this.objects = objects;
    this.project = project;
  }

  async write(
    runId: string,
    file: RunFile,
    body: string | Uint8Array | AsyncIterable<string | Uint8Array>,
  ): Promise<void> {
    await this.objects.write(this.key(runId, file), body, CONTENT_TYPES[file]);
  }

  async read(runId: string, file: RunFile): Promise<ByteChunks | null> {
    return this.objects.read(this.key(runId, file));
  }

  async readLines(
    runId: string,
    file: RunFile,
    from: { offset: number; count: number },
  ): Promise<readonly string[] | null> {
    const ranges = await this.ranges(this.key(runId, file), from.offset);
    if (ranges === null) return null;
    const lines: string[] = [];
    for await (const batch of lineBatches(ranges)) {
      for (const line of batch) {
        if (lines.length >= from.count) return lines;
        lines.push(line);
      }
      if (lines.length >= from.count) break;
    }
    return lines;
  }

  locate(runId: string, file: RunFile): string {
    return this.objects.uri(this.key(runId, file));
  }

  /** A URL that shows the file to whoever has it, for a while. */
  async temporaryUrl(runId: string, file: RunFile, expiresInSeconds: number): Promise<string> {
    return this.objects.presignGet(this.key(runId, file), expiresInSeconds);
  }

  private key(runId: string, file: RunFile): string {
    return objectKeys.runFile(this.project, runId, file);
  }

  /** The object from `offset` on, a range at a time and only as far as it is read; null when there is none. */
  private async ranges(key: string, offset: number): Promise<ByteChunks | null> {
    const first = await this.objects.readRange(key, offset, offset + FIRST_RANGE_BYTES);
    if (first === null) return null;
    return this.rangesAfter(key, offset, first);
  }

  private async *rangesAfter(key: string, offset: number, first: Range): AsyncGenerator<Uint8Array> {
    let length = FIRST_RANGE_BYTES;
    let start = offset;
    let range: Range | null = first;
    while (range !== null && range.bytes.byteLength > 0) {
      yield range.bytes;
      start += range.bytes.byteLength;
      if (start >= range.total) return;
      length = Math.min(LONGEST_RANGE_BYTES, length * 2);
      range = await this.objects.readRange(key, start, start + length, range.etag);
    }
  }
}

type Range = NonNullable<Awaited<ReturnType<S3Objects['readRange']>>>;
