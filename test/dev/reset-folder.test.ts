import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, StorageError } from '../../src/core/errors.ts';
import { resetDevStack } from '../../src/dev/reset-folder.ts';

const STATE = [
  'dynamodb/CURRENT',
  's3/buckets/assay/objects/x.data',
  'executions/e.json',
  'secrets.json',
  'events.jsonl',
  'dev.log',
];

async function folderWith(files: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-reset-'));
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), 'kept');
  }
  return folder;
}

async function filesOf(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

describe('resetDevStack', () => {
  it('wipes the state of a stack and leaves its folder', async () => {
    const folder = await folderWith(STATE);
    await resetDevStack(folder);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['a file of somebody beside the state', [...STATE, 'thesis.md']],
    ['a hidden file', [...STATE, '.git/config']],
    ['a folder of somebody', ['photos/1.jpg']],
    ['a project', ['package.json', 'src/index.ts']],
    ['names that are ours with content that is not', ['s3/holiday.jpg', 'executions/plan.md']],
    ['a secrets.json of another program', ['secrets.json']],
    ['another bucket', ['s3/buckets/other/objects/x.data', 'secrets.json']],
  ])('refuses a folder with %s and deletes nothing', async (_, files) => {
    const folder = await folderWith(files);
    await expect(resetDevStack(folder)).rejects.toBeInstanceOf(ConfigError);
    expect((await filesOf(folder)).sort()).toEqual([...files].sort());
  });

  it('names what stands in the way', async () => {
    const folder = await folderWith(['a.txt', 'b.txt']);
    await expect(resetDevStack(folder)).rejects.toThrow(/holds "a\.txt" and 1 more/);
  });

  it('does not follow a link out of the folder', async () => {
    const elsewhere = await folderWith(['letter.txt']);
    const folder = await folderWith(['s3/buckets/assay/x.data']);
    await symlink(elsewhere, join(folder, 'executions'));
    await resetDevStack(folder);
    expect(await readFile(join(elsewhere, 'letter.txt'), 'utf8')).toBe('kept');
  });

  it.each([
    ['that is not there', ['x/y'], 'none'],
    ['that is empty', [], ''],
    ['where a start left only its log', ['dev.log'], ''],
  ])('has nothing to do in a folder %s', async (_, files, below) => {
    const folder = await folderWith(files);
    await resetDevStack(join(folder, below));
    expect(await filesOf(folder)).toEqual(files);
  });

  it('refuses a file', async () => {
    const folder = await folderWith(['state']);
    await expect(resetDevStack(join(folder, 'state'))).rejects.toBeInstanceOf(ConfigError);
    expect(await filesOf(folder)).toEqual(['state']);
  });

  it('refuses while a stack runs there', async () => {
    const folder = await folderWith(STATE);
    await writeFile(join(folder, 'lock'), String(process.pid));
    await expect(resetDevStack(folder)).rejects.toBeInstanceOf(StorageError);
    expect(await filesOf(folder)).toHaveLength(STATE.length + 1);
  });

  it('leaves a lock of another program alone', async () => {
    const folder = await folderWith(STATE);
    await writeFile(join(folder, 'lock'), 'held by backup.sh');
    await expect(resetDevStack(folder)).rejects.toThrow(/no lock of assay dev/);
    expect(await readFile(join(folder, 'lock'), 'utf8')).toBe('held by backup.sh');
  });
});
