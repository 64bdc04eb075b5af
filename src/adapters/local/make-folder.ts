import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder with all its parents. Throws the system's error.
 * One level at a time: `mkdir` with `recursive` asks again for ever where a folder that is there answers ENOENT (/proc).
 */
export async function makeFolder(path: string): Promise<void> {
  if (await madeOrThere(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  if (await madeOrThere(path)) return;
  // On a read-only disk the system may say ENOENT; the parent, which is there by now, knows the reason.
  await access(parent, constants.W_OK);
  await mkdir(path);
}

/** False when the parent is missing, as far as the system tells. */
async function madeOrThere(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    // What is there needs no right to write in its parent, and a read-only disk says EROFS before EEXIST.
    if (await isFolder(path)) return true;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
