import { gzipped } from '../../core/gzip-stream.ts';
import { readBytes } from '../../core/read-text.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { Lines, ResultParts, RunRef } from '../../ports/result-parts.ts';
import type { ByteChunks, ResultReader } from '../../ports/run-store.ts';
import { objectKeys, partName } from './object-keys.ts';
import { physicalLines, readPart, resultLine } from './result-line.ts';
import type { ListedObject, S3Objects } from './s3-objects.ts';
import { existingPart, unpackedPart } from './unpacked-part.ts';

/** Small parts are fetched ahead of their turn, so that a thousand of them do not cost a thousand round trips. */
const PARTS_AHEAD = 8;
const LARGEST_AHEAD_BYTES = 2 * 1024 * 1024;

/** Results as gzip JSONL, one object a batch. The bytes are gzip as such: no Content-Encoding, nothing unpacks them on the way. */
export class S3ResultParts implements ResultParts {
  private readonly objects: S3Objects;

  constructor(objects: S3Objects) {
    this.objects = objects;
  }

  async write(run: RunRef, firstIndex: number, results: readonly RowResult[]): Promise<string> {
    const name = partName(firstIndex);
    const key = objectKeys.results(run) + name;
    // All lines before the first byte: a result that is no JSON fails here and leaves the old part alone.
    const lines = results.map(resultLine);
    await this.objects.write(key, gzipped(lines), 'application/gzip');
    return name;
  }

  async read(run: RunRef, firstIndex: number): Promise<readonly RowResult[] | null> {
    const key = objectKeys.results(run) + partName(firstIndex);
    const chunks = await this.objects.read(key);
    return chunks === null ? null : readPart(this.objects.uri(key), await readBytes(chunks));
  }

  reader(run: RunRef): ResultReader {
    return { read: (runId) => this.readAll(run, runId) };
  }

  async writeTable(run: RunRef, table: 'runs' | 'row_outcomes', lines: Lines): Promise<void> {
    const body = gzipped(physicalLines(lines));
    await this.objects.write(objectKeys.table(table, run), body, 'application/gzip');
  }

  private async *readAll(run: RunRef, runId: string): AsyncGenerator<ByteChunks> {
    if (runId !== run.runId) throw new TypeError(`this reader reads run ${run.runId}, not ${runId}`);
    const parts = await this.objects.list(objectKeys.results(run));
    const opened: Promise<ByteChunks>[] = [];
    let next = 0;
    const openAhead = () => {
      for (; next < parts.length && opened.length < PARTS_AHEAD; next += 1) {
        const part = this.open(parts[next] as ListedObject);
        part.catch(() => undefined); // it is thrown when its turn comes
        opened.push(part);
      }
    };
    openAhead();
    for (let part = opened.shift(); part !== undefined; part = opened.shift()) {
      openAhead();
      yield await part;
    }
  }

  /** A small part is held packed; a large one is opened when it is read. */
  private async open(part: ListedObject): Promise<ByteChunks> {
    if (part.bytes > LARGEST_AHEAD_BYTES) return unpackedPart(this.objects, part.key);
    const packed = await readBytes(await existingPart(this.objects, part.key));
    return unpackedPart(this.objects, part.key, async () => [packed]);
  }
}
