import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  assayHere,
  httpEval,
  makeFolder,
  numberedRows,
  rightAnswer,
  runFile,
  runHere,
  startTarget,
  summaryOf,
} from './harness.ts';

/** A finished run of ten rows, whose results.jsonl is then changed. */
async function damagedRun(damage: (lines: string[]) => string) {
  const { url } = await startTarget(rightAnswer);
  const folder = await makeFolder({ 'eval.json': httpEval(url), 'rows.jsonl': numberedRows(10) });
  const { run_id: runId } = summaryOf(await runHere(folder, '--json'));
  const path = runFile(folder, runId, 'results.jsonl');
  writeFileSync(path, damage(readFileSync(path, 'utf8').split('\n').slice(0, -1)));
  const dir = ['--dir', join(folder, '.assay')];
  return { folder, runId, dir, report: () => readFileSync(runFile(folder, runId, 'report.html'), 'utf8') };
}

const joined = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

describe('results.jsonl lost results', () => {
  it.each([
    { name: 'some', damage: (lines: string[]) => joined(lines.slice(0, 3)), says: 'holds 3 of 10 results' },
    { name: 'all', damage: () => '', says: 'holds 0 of 10 results' },
    {
      name: 'some, with others there twice',
      damage: (lines: string[]) => joined([...lines.slice(0, 5), ...lines.slice(0, 5)]),
      says: 'holds 5 of 10 results',
    },
  ])('$name: report and results say how many are left', async ({ damage, says }) => {
    const { runId, dir, report } = await damagedRun(damage);
    const reported = await assayHere(['report', runId, ...dir]);
    expect(reported.code).toBe(2);
    expect(reported.stderr).toContain(says);
    expect(report()).toContain(says);
    expect((await assayHere(['results', runId, ...dir])).stderr).toContain(says);
  });

  it('tells nothing of whole results, though some are there twice', async () => {
    const { runId, dir } = await damagedRun((lines) => joined([...lines, ...lines.slice(0, 2)]));
    expect(await assayHere(['report', runId, ...dir])).toMatchObject({ code: 0, stderr: '' });
    expect(await assayHere(['results', runId, ...dir])).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    { name: 'is cut off', damage: (lines: string[]) => joined(lines).slice(0, -40), line: 10 },
    { name: 'is no object', damage: (lines: string[]) => joined([...lines.slice(0, 4), 'null']), line: 5 },
  ])('names the file and the line that $name', async ({ damage, line }) => {
    const { runId, dir } = await damagedRun(damage);
    for (const command of ['report', 'results']) {
      const ended = await assayHere([command, runId, ...dir]);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain(`results.jsonl, line ${line}: no result`);
      expect(ended.stderr).not.toContain('should not have happened');
    }
  });

  it('is whole again after --resume', async () => {
    const { runId, dir } = await damagedRun((lines) => joined(lines).slice(0, -40));
    expect((await assayHere(['run', '--resume', runId, ...dir])).code).toBe(0);
    expect(await assayHere(['report', runId, ...dir])).toMatchObject({ code: 0, stderr: '' });
  });
});
