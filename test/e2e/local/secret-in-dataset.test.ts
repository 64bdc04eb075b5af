import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { assayHere, httpEval, makeFolder, rightAnswer, runHere, runIds, startTarget } from './harness.ts';

describe('a secret whose value stands in the dataset', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([{}, { sample_size: 1 }])('stops the run before anything is asked, by its name: %j', async (more) => {
    vi.stubEnv('NC_KEY', 'Berlin');
    const target = await startTarget(rightAnswer);
    const base = httpEval(target.url, more);
    const [first] = base.targets as object[];
    const targets = [{ ...first, headers: { 'X-Key': '{{secrets.NC_KEY}}' } }];
    const rows = [{ id: 'r1', input: 'Capital of Germany?', expected: 'Berlin' }];
    const folder = await makeFolder({ 'eval.json': { ...base, targets }, 'rows.jsonl': rows });
    for (const ended of [await runHere(folder), await assayHere(['validate', join(folder, 'eval.json')])]) {
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain('rows.jsonl, line 1: row r1 contains the value of secret NC_KEY');
      expect(ended.stderr).not.toContain('Berlin');
    }
    expect(target.requests).toHaveLength(0);
    expect(runIds(folder)).toEqual([]);
  });

  it('is said where a secret is too short to be redacted', async () => {
    vi.stubEnv('NC_KEY', 'abc');
    const target = await startTarget(rightAnswer);
    const base = httpEval(target.url);
    const [first] = base.targets as object[];
    const targets = [{ ...first, headers: { 'X-Key': '{{secrets.NC_KEY}}' } }];
    const rows = [{ id: 'r1', input: 'q1', expected: 'a1' }];
    const folder = await makeFolder({ 'eval.json': { ...base, targets }, 'rows.jsonl': rows });
    for (const ended of [await runHere(folder), await assayHere(['validate', join(folder, 'eval.json')])]) {
      expect(ended.code).toBe(0);
      expect(ended.stdout + ended.stderr).toContain('secret NC_KEY has fewer than 4 characters');
    }
  });
});
