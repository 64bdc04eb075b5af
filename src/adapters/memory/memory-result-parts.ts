import { gunzipSync, gzipSync } from 'node:zlib';
import type { RowResult } from '../../core/schemas/result.ts';
import type { Lines, ResultParts, RunRef } from '../../ports/result-parts.ts';
import type { ByteChunks, ResultReader } from '../../ports/run-store.ts';
import { objectKeys, partName } from '../aws/object-keys.ts';
import { physicalLines, readPart, resultLine } from '../aws/result-line.ts';
import { inChunks } from './memory-run-store.ts';

/** Result parts in this process, the same bytes under the same keys as in S3; for tests of use cases. */
export class MemoryResultParts implements ResultParts {
  /** Key → gzip bytes; open to tests that damage or lose a part. */
  readonly objects = new Map<string, Uint8Array>();

  async write(run: RunRef, firstIndex: number, results: readonly RowResult[]): Promise<string> {
    const name = partName(firstIndex);
    this.objects.set(objectKeys.results(run) + name, gzipSync(results.map(resultLine).join('')));
    return name;
  }

  async read(run: RunRef, firstIndex: number): Promise<readonly RowResult[] | null> {
    const key = objectKeys.results(run) + partName(firstIndex);
    const bytes = this.objects.get(key);
    return bytes === undefined ? null : readPart(key, bytes);
  }

  reader(run: RunRef): ResultReader {
    return { read: (runId) => this.readAll(run, runId) };
  }

  async writeTable(run: RunRef, table: 'runs' | 'row_outcomes', lines: Lines): Promise<void> {
    const written: string[] = [];
    for await (const line of physicalLines(lines)) written.push(line);
    this.objects.set(objectKeys.table(table, run), gzipSync(written.join('')));
  }

  private async *readAll(run: RunRef, runId: string): AsyncGenerator<ByteChunks> {
    if (runId !== run.runId) throw new TypeError(`this reader reads run ${run.runId}, not ${runId}`);
    const prefix = objectKeys.results(run);
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    for (const key of keys) yield inChunks(gunzipSync(this.objects.get(key) as Uint8Array));
  }
}
