import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockRun } from '../../../src/adapters/local/run-lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('lockRun', () => {
  it('names its process, lets go, and keeps out of a run that another process has', async () => {
    const path = join(folder, 'running.pid');
    const unlock = await lockRun(path, 'r-1');
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`);
    await unlock();
    expect(existsSync(path)).toBe(false);

    writeFileSync(path, `${process.ppid}\n`);
    await expect(lockRun(path, 'r-1')).rejects.toThrow(`run r-1 is still going on in process ${process.ppid}`);
    expect(existsSync(path)).toBe(true);
  });

  it('takes over what a dead process with the same id left', async () => {
    const path = join(folder, 'running.pid');
    writeFileSync(path, `${process.pid}\n`);
    await (await lockRun(path, 'r-1'))();
  });

  it('takes over from a process that is dead', async () => {
    const path = join(folder, 'running.pid');
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(path, `${pid}\n`);
    await (await lockRun(path, 'r-1'))();
  });

  it.each(['', 'no pid', '-1', '0'])('takes over a file that says "%s"', async (text) => {
    const path = join(folder, 'running.pid');
    writeFileSync(path, text);
    await (await lockRun(path, 'r-1'))();
  });

  it('says so when the folder is not there', async () => {
    await expect(lockRun(join(folder, 'no', 'running.pid'), 'r-1')).rejects.toThrow('cannot write');
  });
});
