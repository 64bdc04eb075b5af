import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  assayHere,
  httpEval,
  lines,
  makeFolder,
  numberedRows,
  runFile,
  runHere,
  startTarget,
  summaryOf,
} from './harness.ts';

/** Ten rows, answered right but for those in `wrong`; the eval passes with one wrong row, were there no baseline. */
async function project(more: Record<string, unknown> = {}) {
  const wrong = new Set<string>();
  const target = await startTarget((question) => (wrong.has(question) ? 'no idea' : question.replace('q', 'a')));
  const thresholds = { fail_on_regression: true, pass_rate: 0.1 };
  const folder = await makeFolder({
    'eval.json': httpEval(target.url, { thresholds, ...more }),
    'rows.jsonl': numberedRows(10),
  });
  const run = async (...flags: string[]) => summaryOf(await runHere(folder, '--json', ...flags));
  return { wrong, folder, target, run, index: join(folder, '.assay', 'runs', 'index.jsonl') };
}

const runFolder = (folder: string, runId: string) => join(folder, '.assay', 'runs', runId);

describe('the newest passing run is gone', () => {
  it.each([
    { what: 'its folder', files: ['.'] },
    { what: 'its summary', files: ['summary.json'] },
    { what: 'its configuration', files: ['config.json'] },
  ])('$what: the one before it is compared with, and it is said', async ({ files }) => {
    const { wrong, folder, run } = await project();
    const first = await run();
    const second = await run();
    for (const file of files) await rm(join(runFolder(folder, second.run_id), file), { recursive: true });
    wrong.add('q3');
    const third = await run();
    expect(third).toMatchObject({ gate: 'fail', baseline: { run_id: first.run_id, regressed: ['row-3'] } });
    expect(third.warnings.join()).toContain(`(${second.run_id}): compared with ${first.run_id} instead`);
  });

  it('says so when no other is left', async () => {
    const { folder, run } = await project();
    const only = await run();
    await rm(runFolder(folder, only.run_id), { recursive: true });
    const next = await run();
    expect(next.baseline).toBeNull();
    expect(next.warnings.join()).toContain(`the files of 1 passing run are gone (${only.run_id})`);
  });
});

describe('a run that says little', () => {
  it('is no baseline while a whole one is there', async () => {
    const { wrong, run } = await project();
    const whole = await run();
    await run('--sample', '2');
    wrong.add('q0').add('q1').add('q2').add('q3').add('q4').add('q5').add('q6').add('q7');
    const later = await run();
    expect(later.baseline).toMatchObject({ run_id: whole.run_id, new: 0 });
    expect(later.baseline?.regressed).toHaveLength(8);
  });

  it('is compared with when nothing else exists, loudly', async () => {
    const { run } = await project();
    const sample = await run('--sample', '2');
    const whole = await run();
    expect(whole.baseline).toMatchObject({ run_id: sample.run_id, new: 8 });
    expect(whole.warnings.join()).toContain('8 of 10 rows are not in the baseline (it was a sample of 2)');
  });

  it('is the baseline of a run that is as small', async () => {
    const { run } = await project();
    await run();
    const sample = await run('--sample', '2');
    const again = await run('--sample', '2');
    expect(again.baseline).toMatchObject({ run_id: sample.run_id, new: 0 });
    expect(again.warnings.join()).not.toContain('baseline');
  });

  it('is not one whose dataset was smaller then, though its new rows are counted', async () => {
    const { folder, run } = await project();
    writeFileSync(
      join(folder, 'rows.jsonl'),
      numberedRows(2)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    );
    await run();
    const small = await run();
    writeFileSync(
      join(folder, 'rows.jsonl'),
      numberedRows(10)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    );
    const grown = await run();
    expect(grown.baseline).toMatchObject({ run_id: small.run_id, new: 8 });
    expect(grown.warnings.join()).toContain('8 of 10 rows are not in the baseline: ');
  });
});

describe('damaged outcomes of the baseline', () => {
  it.each([
    { name: 'lines are missing', keep: 2, says: '2 of 10 outcomes' },
    { name: 'no line is left', keep: 0, says: '0 of 10 outcomes' },
  ])('are an error before anything is asked: $name', async ({ keep, says }) => {
    const { folder, target, run } = await project();
    const { run_id } = await run();
    const path = runFile(folder, run_id, 'outcomes.jsonl.gz');
    const whole = gunzipSync(readFileSync(path)).toString().split('\n').slice(0, keep);
    writeFileSync(path, gzipSync(whole.map((line) => `${line}\n`).join('')));
    const before = target.requests.length;
    const ended = await runHere(folder, '--json');
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(says);
    expect(ended.stderr).toContain('--baseline none');
    expect(target.requests).toHaveLength(before);
    expect((await runHere(folder, '--json', '--baseline', 'none')).code).toBe(0);
  });
});

describe('a damaged index', () => {
  it.each([
    { name: 'deleted', damage: (path: string) => rmSync(path) },
    { name: 'garbage', damage: (path: string) => writeFileSync(path, 'not JSON\n\u0000\n') },
    { name: 'cut off', damage: (path: string) => writeFileSync(path, readFileSync(path).subarray(0, -9)) },
  ])('disables no gate: $name', async ({ damage }) => {
    const { wrong, run, index } = await project();
    const first = await run();
    damage(index);
    wrong.add('q3');
    expect(await run()).toMatchObject({ gate: 'fail', baseline: { run_id: first.run_id } });
    appendFileSync(index, '{"run_id":"r-');
    wrong.clear();
    const passed = await run();
    expect((await run()).baseline?.run_id).toBe(passed.run_id);
  });

  it('gets no second line for a run that was finished already', async () => {
    const { folder, run, index } = await project();
    const { run_id } = await run();
    const ended = await assayHere(['run', '--resume', run_id, '--dir', join(folder, '.assay'), '--json']);
    expect(ended.code).toBe(0);
    expect(lines(index)).toHaveLength(1);
  });
});

it('names the other eval whose run it is compared with', async () => {
  const { folder, run } = await project();
  const { run_id } = await run();
  writeFileSync(
    join(folder, 'eval.json'),
    readFileSync(join(folder, 'eval.json'), 'utf8').replace('"name":"faq"', '"name":"other"'),
  );
  const other = await run('--baseline', run_id);
  expect(other.warnings.join()).toContain('the baseline is a run of another eval, faq');
});
