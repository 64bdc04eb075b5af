import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileVerdictCache } from '../../../src/adapters/local/file-verdict-cache.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { sha256Hex } from '../../../src/core/json.ts';
import { verdictCacheContract } from '../../contracts/verdict-cache.ts';

const folders: string[] = [];
async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-verdicts-'));
  folders.push(folder);
  return folder;
}
const stop = async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
};

verdictCacheContract('FileVerdictCache', async () => new FileVerdictCache(join(await aFolder(), 'cache')), stop);

describe('FileVerdictCache', () => {
  afterAll(stop);
  const key = sha256Hex('a');
  const place = (root: string) => join(root, key.slice(0, 2), `${key}.json`);

  it('leaves one file a verdict and nothing else', async () => {
    const root = await aFolder();
    const cache = new FileVerdictCache(root);
    await cache.put(key, { a: 1 });
    await cache.put(key, { a: 2 });
    expect(await readdir(root, { recursive: true })).toEqual([key.slice(0, 2), join(key.slice(0, 2), `${key}.json`)]);
  });

  it.each(['', '{"key": ', 'null', '\u0000\u0000'])(
    'takes the damaged file %j for none, and replaces it',
    async (text) => {
      const root = await aFolder();
      await mkdir(join(root, key.slice(0, 2)));
      await writeFile(place(root), text);
      const cache = new FileVerdictCache(root);
      expect(await cache.get(key)).toBeNull();
      await cache.put(key, { a: 1 });
      expect(await cache.get(key)).toEqual({ a: 1 });
    },
  );

  it('says which path cannot be used', async () => {
    const root = await aFolder();
    await writeFile(join(root, key.slice(0, 2)), 'a file where a folder should be');
    const cache = new FileVerdictCache(root);
    await expect(cache.put(key, { a: 1 })).rejects.toThrow(StorageError);
    await expect(cache.get(key)).rejects.toThrow(place(root));
  });

  it.each(['../../etc/passwd', `${'a'.repeat(63)}/`, '', 'A'.repeat(64)])('takes %j for no key', async (bad) => {
    const cache = new FileVerdictCache(await aFolder());
    await expect(cache.get(bad)).rejects.toThrow(RangeError);
    await expect(cache.put(bad, {})).rejects.toThrow(RangeError);
  });
});
