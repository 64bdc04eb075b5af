import { lineBatches } from '../../core/jsonl.ts';
import type { ByteChunks, RunFile, RunStore } from '../../ports/run-store.ts';

/** Files of runs in this process, for tests of use cases. */
export class MemoryRunStore implements RunStore {
  private readonly files = new Map<string, Uint8Array>();

  async write(
    runId: string,
    file: RunFile,
    body: string | Uint8Array | AsyncIterable<string | Uint8Array>,
  ): Promise<void> {
    const bytes = await allBytes(body);
    this.files.set(this.locate(runId, file), bytes);
  }

  async read(runId: string, file: RunFile): Promise<ByteChunks | null> {
    const bytes = this.files.get(this.locate(runId, file));
    return bytes === undefined ? null : inChunks(bytes);
  }

  async readLines(
    runId: string,
    file: RunFile,
    from: { offset: number; count: number },
  ): Promise<readonly string[] | null> {
    const bytes = this.files.get(this.locate(runId, file));
    if (bytes === undefined) return null;
    const lines: string[] = [];
    for await (const batch of lineBatches(inChunks(bytes.subarray(from.offset)))) lines.push(...batch);
    return lines.slice(0, from.count);
  }

  locate(runId: string, file: RunFile): string {
    return `memory:${runId}/${file}`;
  }
}

export async function allBytes(body: string | Uint8Array | AsyncIterable<string | Uint8Array>): Promise<Uint8Array> {
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Uint8Array.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

export async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += 65_536) yield bytes.slice(start, start + 65_536);
}
