import { createReadStream } from 'node:fs';
import { open, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../../core/errors.ts';
import { readLines } from '../../core/jsonl.ts';
import { RUN_ID_PATTERN } from '../../core/schemas/run.ts';
import type { ByteChunks, RunFile, RunStore } from '../../ports/run-store.ts';
import { makeFolder } from './make-folder.ts';

const CHUNK_BYTES = 256 * 1024;

/** Runs as folders of plain files: `<root>/<run id>/…`. */
export class FileRunStore implements RunStore {
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  async write(
    runId: string,
    file: RunFile,
    body: string | Uint8Array | AsyncIterable<string | Uint8Array>,
  ): Promise<void> {
    const path = this.locate(runId, file);
    const temporary = `${path}.${process.pid}.tmp`;
    try {
      await makeFolder(this.folder(runId));
      const handle = await open(temporary, 'w');
      try {
        const chunks = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
        for await (const chunk of gathered(chunks)) await handle.writeFile(chunk);
      } finally {
        await handle.close();
      }
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      await rmdir(this.folder(runId)).catch(() => undefined); // only when nothing else lies in it
      throw isSystemError(error) ? new StorageError(`cannot write ${path}: ${error.message}`, { cause: error }) : error;
    }
  }

  async read(runId: string, file: RunFile): Promise<ByteChunks | null> {
    return openForReading(this.locate(runId, file));
  }

  async readLines(
    runId: string,
    file: RunFile,
    from: { offset: number; count: number },
  ): Promise<readonly string[] | null> {
    const chunks = await openForReading(this.locate(runId, file), from.offset);
    if (chunks === null) return null;
    const lines: string[] = [];
    for await (const line of readLines(chunks)) {
      lines.push(line);
      if (lines.length === from.count) break;
    }
    return lines;
  }

  locate(runId: string, file: RunFile | 'results.jsonl' | 'running.pid'): string {
    return join(this.folder(runId), file);
  }

  folder(runId: string): string {
    // The id becomes a path: what is not an id never reaches the file system.
    if (!RUN_ID_PATTERN.test(runId)) throw new StorageError(`"${runId}" is not a run id`);
    return join(this.root, runId);
  }
}

/** Null when there is no such file. */
export async function openForReading(path: string, start = 0): Promise<ByteChunks | null> {
  try {
    const handle = await open(path, 'r');
    return createReadStream('', { fd: handle, highWaterMark: CHUNK_BYTES, start });
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return null;
    throw new StorageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

/** Small pieces gathered, so that a line a row is not a system call a row. */
async function* gathered(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  let pending: string[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string') {
      if (pending.length > 0) yield pending.join('');
      pending = [];
      size = 0;
      yield chunk;
      continue;
    }
    pending.push(chunk);
    size += chunk.length;
    if (size >= CHUNK_BYTES) {
      yield pending.join('');
      pending = [];
      size = 0;
    }
  }
  if (pending.length > 0) yield pending.join('');
}
