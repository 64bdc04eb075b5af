import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StorageError } from '../../core/errors.ts';
import { readLines } from '../../core/jsonl.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import { openForReading } from './file-run-store.ts';

/** Appends a run's results to `results.jsonl`, a line each, as they come. */
export class ResultLog {
  private readonly path: string;
  private readonly stream: WriteStream;
  private failure: Error | null = null;

  private constructor(path: string, stream: WriteStream) {
    this.path = path;
    this.stream = stream;
    stream.on('error', (error) => {
      this.failure ??= error;
    });
  }

  static async open(path: string): Promise<ResultLog> {
    await mkdir(dirname(path), { recursive: true });
    return new ResultLog(path, createWriteStream(path, { flags: 'a', highWaterMark: 1024 * 1024 }));
  }

  /** Resolves at once while the disk keeps up. Throws StorageError when it refused an earlier line. */
  append(result: RowResult): Promise<void> | void {
    this.throwIfFailed();
    if (this.stream.write(`${JSON.stringify(result)}\n`)) return;
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.stream.off('drain', settle);
        this.stream.off('error', settle);
        if (this.failure === null) resolve();
        else reject(this.storageError(this.failure));
      };
      this.stream.on('drain', settle);
      this.stream.on('error', settle);
    });
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.stream.on('close', resolve);
      this.stream.end(() => this.stream.close());
      if (this.failure !== null) resolve();
    });
    this.throwIfFailed();
  }

  private throwIfFailed(): void {
    if (this.failure !== null) throw this.storageError(this.failure);
  }

  private storageError(cause: Error): StorageError {
    return new StorageError(`cannot write results to ${this.path}: ${cause.message}`, { cause });
  }
}

/**
 * Before a resumed run: keeps every whole line whose task has ended (not skipped), drops the rest and a torn last line.
 * Calls `keep` for each result kept.
 */
export async function pruneResultLog(path: string, keep: (result: RowResult) => void): Promise<void> {
  const chunks = await openForReading(path);
  if (chunks === null) return;
  const temporary = `${path}.${process.pid}.tmp`;
  await rm(temporary, { force: true });
  const kept = await ResultLog.open(temporary);
  for await (const line of readLines(chunks)) {
    const result = parseWhole(line);
    if (result === null || result.status === 'skipped') continue;
    keep(result);
    await kept.append(result);
  }
  await kept.close();
  await rename(temporary, path);
}

/** Null for a line cut off when the process died. */
function parseWhole(line: string): RowResult | null {
  try {
    return JSON.parse(line) as RowResult;
  } catch {
    return null;
  }
}
