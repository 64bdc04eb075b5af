import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../adapters/local/make-folder.ts';
import type { ExecutionCheckpoint } from './state-machine/checkpoint.ts';
import type { ExecutionStatus } from './state-machine/execution.ts';

export interface StoredExecution {
  readonly name: string;
  readonly status: ExecutionStatus;
  /** Absent once it succeeded: there is nothing to go on with. */
  readonly checkpoint?: ExecutionCheckpoint;
}

/** Executions of the local workflow, a file each, so that they outlive the process. */
export interface ExecutionFiles {
  write(execution: StoredExecution): Promise<void>;
  readAll(): Promise<readonly StoredExecution[]>;
}

export class FolderExecutionFiles implements ExecutionFiles {
  private readonly folder: string;
  private written = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Atomic: a file is the old state or the new one. */
  async write(execution: StoredExecution): Promise<void> {
    await makeFolder(this.folder);
    this.written += 1;
    const path = join(this.folder, `${execution.name}.json`);
    const draft = `${path}.${this.written}.tmp`;
    await writeFile(draft, JSON.stringify(execution));
    await rename(draft, path);
  }

  async readAll(): Promise<readonly StoredExecution[]> {
    const names = await readdir(this.folder).catch(() => []);
    const files = names.filter((name) => name.endsWith('.json'));
    return Promise.all(
      files.map(async (name) => JSON.parse(await readFile(join(this.folder, name), 'utf8')) as StoredExecution),
    );
  }
}
