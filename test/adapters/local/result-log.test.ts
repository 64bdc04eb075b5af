import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pruneResultLog, ResultLog } from '../../../src/adapters/local/result-log.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { makeResult } from '../../fixtures/results.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-log-'));
  path = join(folder, 'runs', 'results.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const indexes = () =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { index: number }).index);

describe('the result log', () => {
  it('writes every line once, in order, though hundreds wait for the disk', async () => {
    const log = await ResultLog.open(path);
    const output = 'x'.repeat(20_000);
    await Promise.all(Array.from({ length: 300 }, (_, index) => log.append(makeResult({ index, output }))));
    await log.close();
    expect(indexes()).toEqual(Array.from({ length: 300 }, (_, index) => index));
  });

  it('adds to what is there', async () => {
    for (const index of [0, 1]) {
      const log = await ResultLog.open(path);
      await log.append(makeResult({ index }));
      await log.close();
    }
    expect(indexes()).toEqual([0, 1]);
  });

  it('has each line on the disk soon after it came, not at the end', async () => {
    const log = await ResultLog.open(path);
    await log.append(makeResult({ index: 7 }));
    while (readFileSync(path, 'utf8') === '') await new Promise((wake) => setTimeout(wake, 1));
    expect(indexes()).toEqual([7]);
    await log.close();
  });

  it('tells whoever appends next, and whoever closes, that the disk refused a line', async () => {
    if (!existsSync('/dev/full')) return;
    const log = await ResultLog.open('/dev/full');
    const output = 'x'.repeat(2_000_000); // more than may wait
    void log.append(makeResult({ output }));
    await expect(log.append(makeResult({ output }))).rejects.toThrow(StorageError);
    expect(() => log.append(makeResult())).toThrow(/ENOSPC/);
    await expect(log.close()).rejects.toThrow('cannot write results to /dev/full');
  });

  it('says so when it cannot be opened', async () => {
    writeFileSync(join(folder, 'runs'), 'a file');
    await expect(ResultLog.open(path)).rejects.toThrow(StorageError);
  });
});

describe('pruning before a run goes on', () => {
  it('keeps what ended, drops what was skipped and a line cut off', async () => {
    const log = await ResultLog.open(path);
    const skipped = { status: 'skipped', cause: 'cancelled', passed: false, score: null } as const;
    await log.append(makeResult({ index: 0 }));
    await log.append(makeResult({ index: 1, ...skipped }));
    await log.append(
      makeResult({ index: 2, status: 'target_error', cause: 'timeout', passed: false, score: 0, error: 'late' }),
    );
    await log.close();
    appendFileSync(path, JSON.stringify(makeResult({ index: 3 })).slice(0, -5));
    const kept: number[] = [];
    await pruneResultLog(path, (result) => kept.push(result.index));
    expect(kept).toEqual([0, 2]);
    expect(indexes()).toEqual([0, 2]);
  });

  it('keeps a last line that only lost its line feed', async () => {
    const log = await ResultLog.open(path);
    await log.append(makeResult({ index: 0 }));
    await log.close();
    appendFileSync(path, JSON.stringify(makeResult({ index: 1 })));
    await pruneResultLog(path, () => {});
    expect(indexes()).toEqual([0, 1]);
  });

  it('does nothing where no result was written', async () => {
    await pruneResultLog(path, () => {});
    expect(existsSync(path)).toBe(false);
  });
});
