import { readFile, rm, writeFile } from 'node:fs/promises';
import { ConfigError, StorageError } from '../../core/errors.ts';
import { isSystemError } from './file-run-store.ts';

/**
 * Two processes at one run would overwrite each other's results: the file names the process that has it.
 * One left behind by a killed process is taken over. Gives the function that lets go.
 * Throws ConfigError while the other process lives, StorageError when the file cannot be written.
 */
export async function lockRun(path: string, runId: string): Promise<() => Promise<void>> {
  const release = () => rm(path, { force: true });
  for (;;) {
    try {
      await writeFile(path, `${process.pid}\n`, { flag: 'wx' });
      return release;
    } catch (error) {
      if (!isSystemError(error) || error.code !== 'EEXIST') {
        throw new StorageError(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
      }
    }
    const holder = await holderOf(path);
    // Our own id is that of a dead process: in a container every first process has the same one.
    if (holder !== null && holder !== process.pid && isAlive(holder)) {
      const fix = `wait for it or end it; if it is something else, delete ${path}`;
      throw new ConfigError([{ message: `run ${runId} is still going on in process ${holder}`, fix }]);
    }
    await release();
  }
}

async function holderOf(path: string): Promise<number | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^[1-9]\d*\n?$/.test(text) ? Number(text) : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
