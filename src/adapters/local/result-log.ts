import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StorageError } from '../../core/errors.ts';
import { readLines } from '../../core/jsonl.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import { openForReading } from './file-run-store.ts';
import { makeFolder } from './make-folder.ts';

/** Characters that may wait for the disk before rows wait too. */
const HIGH_WATER = 1024 * 1024;

/**
 * Appends a run's results to `results.jsonl`, a line each, as they come: whatever is there when the disk is free goes
 * out in one write, so a process that is killed loses at most the lines of one write.
 */
export class ResultLog {
  private readonly path: string;
  private readonly handle: FileHandle;
  private pending: string[] = [];
  private pendingSize = 0;
  private writing: Promise<void> | null = null;
  private failure: StorageError | null = null;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.handle = handle;
  }

  /** Throws StorageError when the file cannot be opened. */
  static async open(path: string): Promise<ResultLog> {
    try {
      await makeFolder(dirname(path));
      return new ResultLog(path, await open(path, 'a'));
    } catch (error) {
      throw storageError(path, error);
    }
  }

  /** Resolves at once while the disk keeps up. Throws StorageError when it refused this line or an earlier one. */
  append(result: RowResult): Promise<void> | void {
    if (this.failure !== null) throw this.failure;
    const line = `${JSON.stringify(result)}\n`;
    this.pending.push(line);
    this.pendingSize += line.length;
    this.writing ??= this.writePending();
    if (this.pendingSize > HIGH_WATER) return this.settle(this.writing);
  }

  /** Throws StorageError when a line could not be written. */
  async close(): Promise<void> {
    await this.writing;
    await this.handle.close().catch((error: unknown) => {
      this.failure ??= storageError(this.path, error);
    });
    if (this.failure !== null) throw this.failure;
  }

  private async settle(writing: Promise<void>): Promise<void> {
    await writing;
    if (this.failure !== null) throw this.failure;
  }

  /** Never rejects: the failure is thrown to whoever appends next or closes. */
  private async writePending(): Promise<void> {
    try {
      while (this.pending.length > 0) {
        const text = this.pending.join('');
        this.pending = [];
        this.pendingSize = 0;
        await this.handle.appendFile(text);
      }
    } catch (error) {
      this.failure ??= storageError(this.path, error);
    } finally {
      this.writing = null;
    }
  }
}

function storageError(path: string, cause: unknown): StorageError {
  return new StorageError(`cannot write results to ${path}: ${cause instanceof Error ? cause.message : cause}`, {
    cause,
  });
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
