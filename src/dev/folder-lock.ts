import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../adapters/local/make-folder.ts';
import { StorageError } from '../core/errors.ts';

/**
 * Keeps a second process off the folder: the emulators' files belong to one. A lock whose process is gone is taken over.
 * Returns what gives it back. Throws StorageError that names the process.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await makeFolder(folder).catch((error: Error) => {
    throw new StorageError(`cannot write ${folder}: ${error.message}`, { cause: error });
  });
  const path = join(folder, 'lock');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const content = await readFile(path, 'utf8').catch(() => '');
    if (!/^\d*$/.test(content.trim())) throw new StorageError(`${path} is no lock of assay dev: use another folder`);
    const owner = Number(content);
    if (isAlive(owner)) {
      throw new StorageError(`${folder} is in use: another \`assay dev\` runs on this folder (process ${owner})`);
    }
    await rm(path, { force: true });
  }
  throw new StorageError(`${path} cannot be taken: remove it if no other \`assay dev\` runs on this folder`);
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // somebody else's, and there
  }
}
