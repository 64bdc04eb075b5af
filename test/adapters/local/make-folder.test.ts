import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../../src/adapters/local/make-folder.ts';

describe('makeFolder', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-folder-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('makes a folder with its parents, and is content with one that is there', async () => {
    const path = join(root, 'a', 'b', 'c');
    await makeFolder(path);
    await makeFolder(path);
    expect(existsSync(path)).toBe(true);
  });

  it('makes one folder from many sides at once', async () => {
    const path = join(root, 'a', 'b', 'c');
    await expect(Promise.all(Array.from({ length: 20 }, () => makeFolder(path)))).resolves.toHaveLength(20);
  });

  it.each(['.', '/', tmpdir()])('is content with %s', async (path) => {
    await expect(makeFolder(path)).resolves.toBeUndefined();
  });

  it.each([
    ['file', 'EEXIST'],
    ['file/below', 'ENOTDIR'],
  ])('says why where a file is in the way: %s', async (path, code) => {
    await writeFile(join(root, 'file'), '');
    await expect(makeFolder(join(root, path))).rejects.toMatchObject({ code });
  });

  it.skipIf(process.getuid?.() === 0)('says why where nothing may be written', async () => {
    await chmod(root, 0o500);
    await expect(makeFolder(join(root, 'a', 'b'))).rejects.toMatchObject({ code: 'EACCES' });
  });

  it.skipIf(!existsSync('/proc/self'))('ends where the system denies that a parent is there', async () => {
    await expect(makeFolder('/proc/assay/runs')).rejects.toMatchObject({ syscall: expect.any(String) });
  });
});
