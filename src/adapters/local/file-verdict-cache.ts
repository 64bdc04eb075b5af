import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../../core/errors.ts';
import type { VerdictCache } from '../../ports/verdict-cache.ts';
import { isSystemError } from './file-run-store.ts';
import { makeFolder } from './make-folder.ts';

const KEY = /^[0-9a-f]{64}$/;

/**
 * A file a verdict, `<root>/<first two digits>/<key>.json`: runs side by side never wait for each other, and none holds
 * the whole cache in memory. Nothing expires; deleting the folder forgets everything.
 */
export class FileVerdictCache implements VerdictCache {
  private readonly root: string;
  private readonly made = new Set<string>();

  constructor(root: string) {
    this.root = root;
  }

  async get(key: string): Promise<unknown> {
    const path = this.pathOf(key);
    try {
      return parse(await readFile(path, 'utf8'));
    } catch (error) {
      if (isSystemError(error) && error.code === 'ENOENT') return null;
      throw new StorageError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  async put(key: string, entry: object): Promise<void> {
    const path = this.pathOf(key);
    const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
    try {
      await this.makeFolderOf(key);
      await writeFile(temporary, JSON.stringify(entry));
      await rename(temporary, path);
    } catch (error) {
      throw new StorageError(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  private async makeFolderOf(key: string): Promise<void> {
    const folder = key.slice(0, 2);
    if (this.made.has(folder)) return;
    await makeFolder(join(this.root, folder));
    this.made.add(folder);
  }

  private pathOf(key: string): string {
    // The key becomes a path: what is no hash never reaches the file system.
    if (!KEY.test(key)) throw new RangeError(`"${key}" is no key of a verdict`);
    return join(this.root, key.slice(0, 2), `${key}.json`);
  }
}

/** Null for a file that was cut off or edited. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
