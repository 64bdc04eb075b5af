import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  assay,
  httpEval,
  lines,
  makeFolder,
  numberedRows,
  OLD_NODE,
  readJson,
  readResults,
  rightAnswer,
  runFile,
  runIds,
  startAssay,
  startTarget,
  summaryOf,
  until,
} from './harness.ts';

const ROWS = 30;
const CONCURRENCY = 4;

/** A target that answers the first requests and keeps the others waiting until it is let go. */
async function startHeldTarget(answered: number) {
  let letGo: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let asked = 0;
  const target = await startTarget(async (question) => {
    asked += 1;
    if (asked > answered) await held;
    return rightAnswer(question);
  });
  const folder = await makeFolder({
    'eval.json': httpEval(target.url, { concurrency: CONCURRENCY }),
    'rows.jsonl': numberedRows(ROWS),
  });
  return { folder, target, letGo };
}

const resultLines = (folder: string): string[] => lines(runFile(folder, runIds(folder)[0] ?? '', 'results.jsonl'));

/** The run is under way: so many results are written, and the target holds the rest of what may be in flight. */
async function untilHeld(folder: string, target: { readonly requests: readonly unknown[] }, answered: number) {
  await until(() => runIds(folder).length === 1 && resultLines(folder).length === answered);
  await until(() => target.requests.length === answered + CONCURRENCY);
}

describe('Ctrl-C', () => {
  it('ends the rows in flight, accounts for the rest as skipped and leaves a finished run', async () => {
    const { folder, target, letGo } = await startHeldTarget(10);
    const run = startAssay(['run', 'eval.json'], { cwd: folder });
    await untilHeld(folder, target, 10);
    run.child.kill('SIGINT');
    await until(() => run.stderr.includes('once more to stop at once'));
    letGo();
    const { code, stdout, stderr } = await run.ended;
    expect(stderr).toMatch(/\n14\/30 \(46%\)[^\n]*\n$/);

    expect(code).toBe(2);
    expect(stdout).toContain('gate: ERROR');
    expect(target.requests).toHaveLength(10 + CONCURRENCY);
    const [runId = ''] = runIds(folder);
    const summary = readJson(folder, runId, 'summary.json');
    expect(summary).toMatchObject({
      status: 'cancelled',
      gate: 'error',
      counts: { rows: ROWS, scored: 14, skipped: 16 },
      skipped_by_cause: { cancelled: 16 },
      stopped: { after: 14, of: ROWS },
    });
    expect(readResults(folder, runId)).toHaveLength(ROWS);
    for (const file of ['report.html', 'junit.xml']) expect(existsSync(runFile(folder, runId, file))).toBe(true);
  });

  it('stops at once the second time, and what was finished is not asked again', async () => {
    const { folder, target, letGo } = await startHeldTarget(10);
    const run = startAssay(['run', 'eval.json'], { cwd: folder });
    await untilHeld(folder, target, 10);
    run.child.kill('SIGINT');
    await until(() => run.stderr.includes('once more to stop at once'));
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(2);
    const [runId = ''] = runIds(folder);
    expect(existsSync(runFile(folder, runId, 'summary.json'))).toBe(false);

    letGo();
    const resumed = await assay(['run', '--resume', runId, '--json'], { cwd: folder });
    expect(resumed.code).toBe(0);
    expect(summaryOf(resumed).counts).toMatchObject({ rows: ROWS, passed: ROWS, skipped: 0 });
    expect(target.requests).toHaveLength(10 + CONCURRENCY + (ROWS - 10));
  });

  it.skipIf(OLD_NODE === undefined)('counts once behind the launcher, though the whole group gets it', async () => {
    const { folder, target, letGo } = await startHeldTarget(10);
    const run = startAssay(['run', 'eval.json'], { cwd: folder, node: OLD_NODE, detached: true });
    await untilHeld(folder, target, 10);
    process.kill(-(run.child.pid ?? 0), 'SIGINT');
    await until(() => run.stderr.includes('once more to stop at once'));
    letGo();
    expect((await run.ended).code).toBe(2);
    expect(readJson(folder, runIds(folder)[0] ?? '', 'summary.json')).toMatchObject({ counts: { scored: 14 } });
  });

  it.skipIf(OLD_NODE === undefined)('never leaves a run behind when the launcher is killed', async () => {
    const { folder, target } = await startHeldTarget(10);
    const run = startAssay(['run', 'eval.json'], { cwd: folder, node: OLD_NODE });
    await untilHeld(folder, target, 10);
    run.child.kill('SIGKILL');
    await run.ended; // its pipes are closed only when nobody holds them any more
    expect(target.requests).toHaveLength(10 + CONCURRENCY);
  });

  it('goes on with a cancelled run where it stopped', async () => {
    const { folder, target, letGo } = await startHeldTarget(10);
    const run = startAssay(['run', 'eval.json'], { cwd: folder });
    await untilHeld(folder, target, 10);
    run.child.kill('SIGINT');
    await until(() => run.stderr.includes('once more to stop at once'));
    letGo();
    await run.ended;
    const [runId = ''] = runIds(folder);
    const resumed = await assay(['run', '--resume', runId], { cwd: folder });
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toContain('14 results kept');
    expect(new Set(target.asked()).size).toBe(ROWS);
    expect(target.requests).toHaveLength(ROWS);
    expect(readResults(folder, runId).map((result) => result.status)).toEqual(Array(ROWS).fill('scored'));
    expect(readJson(folder, runId, 'summary.json')).toMatchObject({ status: 'passed', stopped: null });
  });
});

describe('a killed run', () => {
  it('is resumed without asking for a finished row again, whatever became of its last line', async () => {
    const { folder, target, letGo } = await startHeldTarget(12);
    const run = startAssay(['run', 'eval.json'], { cwd: folder });
    await untilHeld(folder, target, 12);
    run.child.kill('SIGKILL');
    await run.ended;
    const [runId = ''] = runIds(folder);
    const finished = readResults(folder, runId).map((result) => String(result.input));
    expect(finished).toHaveLength(12);
    appendFileSync(runFile(folder, runId, 'results.jsonl'), '{"run_id":"r-01M8PXPVVHQ7KA4ZTE53V7N4D7","row_id":"row-1');
    const before = target.requests.length;
    letGo();

    const resumed = await assay(['run', '--resume', runId, '--json'], { cwd: folder });
    expect(resumed.code).toBe(0);
    expect(summaryOf(resumed).counts).toMatchObject({ rows: ROWS, passed: ROWS, results: ROWS, scored: ROWS });
    const again = target.asked().slice(before);
    expect(again).toHaveLength(ROWS - 12);
    expect(again.filter((question) => finished.includes(question))).toEqual([]);
    expect(readResults(folder, runId)).toHaveLength(ROWS);
  });

  it('has nothing left to do when it was finished: the same decision again, and not its own baseline', async () => {
    const target = await startTarget(rightAnswer);
    const folder = await makeFolder({ 'eval.json': httpEval(target.url), 'rows.jsonl': numberedRows(ROWS) });
    const first = summaryOf(await assay(['run', 'eval.json', '--json'], { cwd: folder }));
    const again = await assay(['run', '--resume', first.run_id, '--json'], { cwd: folder });
    expect(again.code).toBe(0);
    expect(again.stderr).toContain(`${ROWS}/${ROWS} (100%)`);
    expect({ ...summaryOf(again), finished_at: '' }).toEqual({ ...first, finished_at: '' });
    expect(target.requests).toHaveLength(ROWS);
  });

  it('reads the secrets beside its eval again', async () => {
    const target = await startTarget((_question, request) => String(request.headers['x-key']?.length));
    const folder = await makeFolder({
      'eval.json': httpEval(target.url, {
        targets: [{ url: target.url, headers: { 'X-Key': '{{secrets.TARGET_KEY}}' }, response_path: 'answer' }],
      }),
      'rows.jsonl': [{ input: 'how long is it?', expected: '12' }],
      '.env': 'TARGET_KEY=twelve-chars',
    });
    const elsewhere = await makeFolder();
    const first = summaryOf(await assay(['run', join(folder, 'eval.json'), '--json'], { cwd: elsewhere }));
    expect(first.gate).toBe('pass');
    const resumed = await assay(['run', '--resume', first.run_id], { cwd: elsewhere });
    expect(resumed).toMatchObject({ code: 0 });
  });

  it('is not resumed while its process still runs', async () => {
    const { folder, target, letGo } = await startHeldTarget(12);
    const run = startAssay(['run', 'eval.json'], { cwd: folder });
    await untilHeld(folder, target, 12);
    const [runId = ''] = runIds(folder);
    const second = await assay(['run', '--resume', runId], { cwd: folder });
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`run ${runId} is still going on in process`);
    letGo();
    expect((await run.ended).code).toBe(0);
    expect(readResults(folder, runId)).toHaveLength(ROWS);
    expect(existsSync(join(folder, '.assay', 'runs', runId, 'running.pid'))).toBe(false);
  });

  it.each([
    {
      args: ['run', '--resume', 'r-01M8PXPVVHQ7KA4ZTE53V7N4D7'],
      says: 'there is no run "r-01M8PXPVVHQ7KA4ZTE53V7N4D7"',
    },
    { args: ['run', '--resume', '../../etc'], says: 'there is no run "../../etc"' },
    { args: ['run', '--resume', 'r-x', 'eval.json'], says: '--resume takes the eval from the run' },
    { args: ['run', '--resume', 'r-x', '--trials', '3'], says: '--trials cannot be changed in a run that has started' },
  ])('refuses $args', async ({ args, says }) => {
    const folder = await makeFolder();
    const ended = await assay(args, { cwd: folder });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(says);
  });
});

it('keeps two runs at once in one folder apart', async () => {
  const target = await startTarget(rightAnswer);
  const folder = await makeFolder({ 'eval.json': httpEval(target.url), 'rows.jsonl': numberedRows(ROWS) });
  const both = await Promise.all([1, 2].map(() => assay(['run', 'eval.json', '--json'], { cwd: folder })));
  expect(both.map((ended) => ended.code)).toEqual([0, 0]);
  expect(new Set(both.map((ended) => summaryOf(ended).run_id)).size).toBe(2);
  for (const runId of runIds(folder)) expect(readResults(folder, runId)).toHaveLength(ROWS);
  expect(lines(join(folder, '.assay', 'runs', 'index.jsonl'))).toHaveLength(2);
});
