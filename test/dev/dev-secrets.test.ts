import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSystemSecrets } from '../../src/dev/dev-secrets.ts';

describe('FileSystemSecrets', () => {
  let path: string;
  beforeEach(async () => {
    path = join(await mkdtemp(join(tmpdir(), 'assay-secrets-')), 'sub', 'secrets.json');
  });
  afterEach(() => rm(join(path, '..', '..'), { recursive: true }));

  it('makes a token once and keeps it, for its owner only', async () => {
    const first = await FileSystemSecrets.open(path);
    expect(first.token).toMatch(/^assay_dev_.{32}$/);
    expect((await FileSystemSecrets.open(path)).token).toBe(first.token);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('makes what links to reports are signed with, also in a file that an earlier version wrote', async () => {
    const made = await (await FileSystemSecrets.open(path)).reportLinks();
    expect(made?.current).toMatch(/^[\w-]{43}$/);
    expect(await (await FileSystemSecrets.open(path)).reportLinks()).toEqual(made);
    await writeFile(path, JSON.stringify({ api_token: 'assay_dev_1', webhooks: {} }));
    const opened = await FileSystemSecrets.open(path);
    expect(await opened.reportLinks()).toEqual(await (await FileSystemSecrets.open(path)).reportLinks());
    await opened.putReportLinks({ current: 'b', previous: 'a' });
    expect(await (await FileSystemSecrets.open(path)).reportLinks()).toEqual({ current: 'b', previous: 'a' });
    expect(opened.token).toBe('assay_dev_1');
  });

  it('keeps the secrets of projects, whatever they are called', async () => {
    const secrets = await FileSystemSecrets.open(path);
    expect(await secrets.webhook('constructor')).toBeNull();
    await Promise.all(['a', 'b', 'constructor'].map((project) => secrets.putWebhook(project, { current: project })));
    await secrets.putWebhook('a', { current: 'new', previous: 'a' });
    await secrets.deleteWebhook('b');
    const again = await FileSystemSecrets.open(path);
    expect(await again.webhook('a')).toEqual({ current: 'new', previous: 'a' });
    expect(await again.webhook('b')).toBeNull();
    expect(await again.webhook('constructor')).toEqual({ current: 'constructor' });
  });

  it('says what to do about a damaged file and shows nothing of it', async () => {
    await FileSystemSecrets.open(path);
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, 40));
    await expect(FileSystemSecrets.open(path)).rejects.toThrow(/is damaged: .*--reset/);
    await expect(FileSystemSecrets.open(path)).rejects.not.toThrow(/assay_dev_/);
  });
});
