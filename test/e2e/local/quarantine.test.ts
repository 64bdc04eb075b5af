import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayHere, httpEval, makeFolder, numberedRows, runHere, runIds, startTarget, summaryOf } from './harness.ts';

async function quarantined(url: string, dataset = numberedRows(3)): Promise<string> {
  return makeFolder({ 'eval.json': httpEval(url, { quarantined: true }), 'rows.jsonl': dataset });
}

describe('a quarantined eval', () => {
  it('shows that it failed, says that this does not decide, and exits with 0', async () => {
    const folder = await quarantined((await startTarget(() => 'wrong')).url);
    const ended = await runHere(folder);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('gate: FAIL');
    expect(ended.stdout).toContain('quarantined: does not decide');
    expect(ended.stderr).toContain('faq failed and is quarantined: it does not decide');
  });

  it('says so beside --json too', async () => {
    const folder = await quarantined((await startTarget(() => 'wrong')).url);
    const ended = await runHere(folder, '--json', '--quiet');
    expect(ended.code).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ gate: 'fail', quarantined: true });
    expect(ended.stderr).toContain('quarantined');
    const decided = await assayHere(['decide', runIds(folder)[0] ?? '', '--dir', join(folder, '.assay')]);
    expect(decided).toMatchObject({ code: 0, stdout: expect.stringContaining('quarantined: does not decide') });
  });

  it('still cannot be decided when nothing answers', async () => {
    const ended = await runHere(await quarantined('http://127.0.0.1:1/'));
    expect(ended.code).toBe(2);
    expect(ended.stdout).toContain('gate: ERROR');
  });

  it('is told in --help', async () => {
    expect((await assayHere(['run', '--help'])).stdout).toContain('quarantined: true');
  });
});
