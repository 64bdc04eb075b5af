import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  assay,
  httpEval,
  LAUNCHER,
  makeFolder,
  numberedRows,
  OLD_NODE,
  rightAnswer,
  runIds,
  startTarget,
  summaryOf,
} from './harness.ts';

async function folderWithEval(answer: (question: string) => string, more: Record<string, unknown> = {}) {
  const target = await startTarget(answer);
  return {
    target,
    folder: await makeFolder({ 'eval.json': httpEval(target.url, more), 'rows.jsonl': numberedRows(10) }),
  };
}

describe('exit codes', () => {
  it('is 0 for a run that passes, with its files in the current folder', async () => {
    const { folder, target } = await folderWithEval(rightAnswer);
    const ended = await assay(['run', 'eval.json'], { cwd: folder });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('gate: PASS') });
    expect(target.requests).toHaveLength(10);
    const [runId = ''] = runIds(folder);
    expect(readdirSync(join(folder, '.assay', 'runs', runId)).sort()).toEqual([
      'config.json',
      'junit.xml',
      'outcomes.jsonl.gz',
      'report.html',
      'results.jsonl',
      'rows.jsonl',
      'summary.json',
    ]);
  });

  it('is 1 for a run that fails, and the output says why', async () => {
    const { folder } = await folderWithEval((question) => (question === 'q3' ? 'no idea' : rightAnswer(question)));
    const ended = await assay(['run', 'eval.json'], { cwd: folder });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('gate: FAIL');
    expect(ended.stdout).toContain('row-3');
  });

  it('is 2 for a run that cannot be decided', async () => {
    const folder = await makeFolder({ 'eval.json': httpEval('http://127.0.0.1:1/'), 'rows.jsonl': numberedRows(10) });
    const ended = await assay(['run', 'eval.json'], { cwd: folder });
    expect(ended.code).toBe(2);
    expect(ended.stdout).toContain('gate: ERROR');
  });

  it('prints nothing but JSON on standard output with --json', async () => {
    const { folder } = await folderWithEval(rightAnswer);
    const ended = await assay(['run', 'eval.json', '--json'], { cwd: folder });
    expect(summaryOf(ended)).toMatchObject({ gate: 'pass', counts: { rows: 10, passed: 10 } });
    expect(ended.stderr).toContain('10/10');
  });

  it('keeps the exit code when nobody reads the output', async () => {
    const { folder } = await folderWithEval(() => 'wrong');
    const script = `"$0" "$1" run eval.json --json | true; exit "\${PIPESTATUS[0]}"`;
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((done) => {
      execFile('bash', ['-c', script, process.execPath, LAUNCHER], { cwd: folder }, (error, _stdout, errors) =>
        done({ code: error?.code ?? 0, stderr: errors }),
      );
    });
    expect(code).toBe(1);
    expect(stderr).not.toContain('EPIPE');
  });
});

describe('the launcher', () => {
  it('works from another folder', async () => {
    const elsewhere = await makeFolder();
    const { folder } = await folderWithEval(rightAnswer);
    const ended = await assay(['run', join(folder, 'eval.json'), '--json'], { cwd: elsewhere });
    expect(ended.code).toBe(0);
    expect(runIds(elsewhere)).toHaveLength(1);
  });

  it.skipIf(OLD_NODE === undefined)('hands over to the Node of the checkout when this one is too old', async () => {
    const { folder } = await folderWithEval((question) => (question === 'q0' ? 'no' : rightAnswer(question)));
    const ended = await assay(['run', 'eval.json', '--json'], { cwd: folder, node: OLD_NODE });
    expect(ended.code).toBe(1);
    expect(summaryOf(ended).counts).toMatchObject({ rows: 10, passed: 9, failed: 1 });
  });
});
