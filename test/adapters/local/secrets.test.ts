import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalSecrets } from '../../../src/adapters/local/secrets.ts';
import { ConfigError } from '../../../src/core/errors.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-secrets-'));
  await mkdir(join(root, 'eval'));
});
afterEach(() => rm(root, { recursive: true }));

const open = (env: Record<string, string> = {}) => new LocalSecrets({ folder: join(root, 'eval'), cwd: root, env });

describe('LocalSecrets', () => {
  it('takes the environment, then the .env of the eval, then that of the working directory', async () => {
    await writeFile(join(root, 'eval', '.env'), 'B=eval\nC=eval\n');
    await writeFile(join(root, '.env'), 'A=cwd\nB=cwd\nC=cwd\n');
    expect(Object.fromEntries(await open({ C: 'env' }).read(['A', 'B', 'C']))).toEqual({
      A: 'cwd',
      B: 'eval',
      C: 'env',
    });
  });

  it('reads what editors write: byte order marks, CRLF, quotes, export, comments', async () => {
    await writeFile(join(root, '.env'), '\ufeffA=one\r\n# note\r\nexport B="two words"\r\nC=a=b==\r\n');
    expect(Object.fromEntries(await open().read(['A', 'B', 'C']))).toEqual({ A: 'one', B: 'two words', C: 'a=b==' });
  });

  it('cuts the line breaks that end a value and gives only what was asked for', async () => {
    expect([...(await open({ KEY: 'v\r\n', OTHER: 'x' }).read(['KEY', 'KEY']))]).toEqual([['KEY', 'v']]);
  });

  it('names every missing secret and no value', async () => {
    const reading = open({ THERE: 'demo-value', EMPTY: '' }).read(['ONE', 'THERE', 'TWO', 'EMPTY']);
    await expect(reading).rejects.toBeInstanceOf(ConfigError);
    await expect(reading).rejects.toThrow(/ONE is missing.*TWO is missing.*EMPTY is empty/s);
    await expect(reading).rejects.not.toThrow(/demo-value/);
  });

  it('falls back to a file where the environment holds an empty value', async () => {
    await writeFile(join(root, '.env'), 'KEY=file\n');
    expect((await open({ KEY: '' }).read(['KEY'])).get('KEY')).toBe('file');
  });

  it.each(['key', '1KEY', 'KEY-A', '', '_KEY', 'A'.repeat(65), '__proto__', 'PATH/..'])(
    'refuses the name %j',
    async (name) => {
      await expect(open({ [name]: 'v' }).read([name])).rejects.toBeInstanceOf(ConfigError);
    },
  );

  it('says when a file cannot be read', async () => {
    await mkdir(join(root, '.env'));
    await expect(open().read(['KEY'])).rejects.toThrow(/\.env: cannot be read/);
  });

  it('reads no file when nothing is asked for', async () => {
    await mkdir(join(root, '.env'));
    expect((await open().read([])).size).toBe(0);
  });
});
