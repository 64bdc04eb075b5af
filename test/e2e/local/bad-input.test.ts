import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  assay,
  assayHere,
  cleanUp,
  httpEval,
  lines,
  makeFolder,
  numberedRows,
  readResults,
  readRows,
  rightAnswer,
  runHere,
  runIds,
  startTarget,
  summaryOf,
} from './harness.ts';

const MOUNT = 'mount';
const UNMOUNT = 'umount';

/** A run of recorded answers: no server needed. */
const recordedEval = (more: Record<string, unknown> = {}) => ({
  name: 'recorded',
  type: 'classification',
  dataset: 'rows.jsonl',
  targets: [{ type: 'recorded' }],
  ...more,
});

describe('an eval that cannot be read', () => {
  const good = JSON.stringify(httpEval('http://127.0.0.1:1/'));
  it.each([
    {
      name: 'a misspelt key',
      file: 'name: faq\ntype: qa\ndatset: rows.jsonl\n',
      says: ['line 3', 'unknown key "datset" (did you mean "dataset"?)', '"dataset" is missing'],
    },
    {
      name: 'a misspelt key of a target',
      file: good.replace('response_path', 'respons_path'),
      says: ['targets.0.respons_path', 'did you mean "response_path"?'],
    },
    {
      name: 'a misspelt threshold',
      file: good.replace('"dataset"', '"thresholds":{"min_scor":1},"dataset"'),
      says: ['did you mean "min_score"?'],
    },
    {
      name: 'a threshold of another type',
      file: good.replace('"dataset"', '"thresholds":{"min_answer_score":1},"dataset"'),
      says: ['min_answer_score does not belong to an eval of type classification'],
    },
    {
      name: 'a key given twice',
      file: good.replace('"type":', '"name":"other","type":'),
      says: ['line 1', 'the key "name" stands here a second time'],
    },
    { name: 'broken YAML', file: 'name: faq\ntargets: [1,\n b: }\n', says: ['not valid YAML or JSON'] },
    { name: 'an empty file', file: '', says: ['the file is empty'] },
    { name: 'a list', file: '[1, 2]', says: ['must be an object, not a list'] },
    { name: 'bytes that are no UTF-8', file: Buffer.from('name: caf\xe9\n', 'latin1'), says: ['is not UTF-8'] },
    {
      name: 'an unknown type',
      file: good.replace('classification', 'clasification'),
      says: ['type', 'classification'],
    },
    { name: 'no target', file: 'name: faq\ntype: classification\ndataset: rows.jsonl\n', says: ['there is no target'] },
    {
      name: 'an alias bomb',
      file: `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nname: [*c,*c,*c,*c,*c]\n`,
      says: ['alias'],
    },
  ])('says what is wrong with $name', async ({ file, says }) => {
    const folder = await makeFolder({ 'eval.json': file, 'rows.jsonl': numberedRows(2) });
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(join(folder, 'eval.json'));
    for (const words of says) expect(ended.stderr).toContain(words);
    expect(ended.stderr).not.toContain('should not have happened');
    expect(existsSync(join(folder, '.assay'))).toBe(false);
  });

  it('says that a folder is none, and that a file is missing', async () => {
    const folder = await makeFolder();
    expect(await assayHere(['run', folder])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/folder.*eval file/),
    });
    expect(await assayHere(['run', join(folder, 'no.yaml')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no such file'),
    });
  });
});

describe('what is needed from outside', () => {
  it('names every missing secret, and sends nothing', async () => {
    const target = await startTarget(rightAnswer);
    const headers = { Authorization: 'Bearer {{secrets.NOT_SET_A}}', 'X-Key': '{{secrets.NOT_SET_B}}' };
    const targets = [{ url: target.url, headers }];
    const folder = await makeFolder({ 'eval.json': httpEval(target.url, { targets }), 'rows.jsonl': numberedRows(2) });
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('secret NOT_SET_A is missing');
    expect(ended.stderr).toContain('secret NOT_SET_B is missing');
    expect(target.requests).toHaveLength(0);
    expect(runIds(folder)).toEqual([]);
  });

  it('gives up on a target that nobody answers at, and accounts for every row', async () => {
    const folder = await makeFolder({
      'eval.json': httpEval('http://127.0.0.1:1/', { concurrency: 4 }),
      'rows.jsonl': numberedRows(500),
    });
    const ended = await runHere(folder, '--json');
    expect(ended.code).toBe(2);
    const summary = summaryOf(ended);
    expect(summary.gate).toBe('error');
    expect(summary.counts).toMatchObject({ results: 500, passed: 0 });
    expect(summary.counts.target_error).toBeLessThan(20);
    expect(summary.decision.reasons.map((reason) => reason.text).join()).toContain('failed on every row it was asked');
    expect(readResults(folder, summary.run_id)).toHaveLength(500);
  });

  it('shows the page that a target answers with instead of JSON', async () => {
    const target = await startTarget(() => ({ body: '<!doctype html><title>Sign in</title>' }));
    const folder = await makeFolder({ 'eval.json': httpEval(target.url), 'rows.jsonl': numberedRows(4) });
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stdout).toContain('the body is not JSON: <!doctype');
  });

  it('refuses an address inside the network, and a file URL', async () => {
    for (const url of ['http://10.0.0.7/', 'http://169.254.169.254/latest', 'file:///etc/passwd']) {
      const folder = await makeFolder({ 'eval.json': httpEval(url), 'rows.jsonl': numberedRows(4) });
      const ended = await runHere(folder);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain('targets.0.url');
      expect(runIds(folder)).toEqual([]);
    }
  });

  it('refuses a judge that is needed and not there', async () => {
    const folder = await makeFolder({
      'eval.json': httpEval('http://127.0.0.1:1/', { type: 'qa' }),
      'rows.jsonl': numberedRows(4),
    });
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('judge');
  });
});

describe('a dataset that cannot be used', () => {
  it.each([
    { name: 'a missing file', rows: null, says: 'no such file' },
    { name: 'an empty file', rows: '', says: 'no rows' },
    { name: 'rows without an input', rows: '{"note":"x"}\n{"note":"y"}\n', says: 'no row has an input' },
    {
      name: 'bytes that are no UTF-8',
      rows: Buffer.from('{"input":"caf\xe9","expected":"a"}\n', 'latin1'),
      says: 'UTF-8',
    },
    { name: 'a broken line', rows: '{"input":"a","expected":"b"}\n{"input":\n', says: 'line 2' },
    {
      name: 'a duplicate id',
      rows: '{"id":"x","input":"a","expected":"b"}\n{"id":"x","input":"c","expected":"d"}\n',
      says: 'duplicate id "x", also in line 1',
    },
    { name: 'an id with a control character', rows: '{"id":"a\\u0000b","input":"a","expected":"b"}\n', says: 'id' },
    { name: 'a row without what its type needs', rows: '{"input":"a"}\n', says: 'has no expected answer' },
  ])('says what is wrong with $name, asks nothing and leaves no run behind', async ({ rows, says }) => {
    const target = await startTarget(rightAnswer);
    const folder = await makeFolder({
      'eval.json': httpEval(target.url),
      ...(rows === null ? {} : { 'rows.jsonl': rows }),
    });
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('rows.jsonl');
    expect(ended.stderr).toContain(says);
    expect(target.requests).toHaveLength(0);
    expect(runIds(folder)).toEqual([]);
  });

  it('keeps hostile row ids as they are, and out of the file system', async () => {
    const ids = [
      '../../../etc/passwd',
      '..',
      'C:\\x',
      '<script>alert(1)</script>',
      '{{secrets.X}}',
      "'; DROP TABLE rows;--",
      '__proto__',
      'constructor',
      '🦆'.repeat(60),
      ' ',
      '-rf',
      'a\u202eb',
    ];
    const rows = ids.map((id, index) => ({ id, input: `q${index}`, expected: `a${index}`, output: `a${index}` }));
    const folder = await makeFolder({ 'eval.json': recordedEval(), 'rows.jsonl': rows });
    const ended = await runHere(folder);
    expect(ended).toMatchObject({ code: 0 });
    const [runId = '', ...others] = runIds(folder);
    expect(others).toEqual([]);
    expect(
      readResults(folder, runId)
        .map((result) => result.row_id)
        .sort(),
    ).toEqual(
      readRows(folder, runId)
        .map((row) => row.id)
        .sort(),
    );
    const listed = await assayHere(['results', runId, '--dir', join(folder, '.assay')]);
    for (const hidden of ['\u202e', '\u001b']) expect(listed.stdout).not.toContain(hidden);
  });
});

/** A disk of its own in memory, where this user may mount one; null where not. */
function mountDisk(folder: string, options: string): string | null {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', options, 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    return null;
  }
  cleanUp(async () => execFileSync(UNMOUNT, ['-l', disk]));
  return disk;
}

describe('a disk that refuses', () => {
  it('says so, keeps what was written and resumes when there is room again', async ({ skip }) => {
    const folder = await makeFolder({
      'eval.json': recordedEval({ name: 'big' }),
      'rows.jsonl': numberedRows(400).map((row) => ({ ...row, output: row.expected })),
    });
    const disk = mountDisk(folder, 'size=200k');
    if (disk === null) return skip('a small disk cannot be mounted here');

    const args = [join(folder, 'eval.json'), '--dir', disk];
    const full = await assay(['run', ...args], { cwd: folder });
    expect(full.code).toBe(2);
    expect(full.stderr).toContain('ENOSPC');
    const resume = /assay run --resume (r-\w+)/.exec(full.stderr)?.[1] ?? '';
    const results = join(disk, 'runs', resume, 'results.jsonl');
    const kept = lines(results).length;
    expect(kept).toBeGreaterThan(0);

    execFileSync(MOUNT, ['-o', 'remount,size=20m', disk]);
    const resumed = await assay(['run', '--resume', resume, '--dir', disk], { cwd: folder });
    expect(resumed.stderr).toContain(`${kept} results kept`);
    expect(resumed.code).toBe(0);
    expect(lines(results)).toHaveLength(400);
  });

  it('says so when the folder of the runs is read-only', async ({ skip }) => {
    const folder = await makeFolder({
      'eval.json': recordedEval(),
      'rows.jsonl': [{ input: 'q', expected: 'a', output: 'a' }],
    });
    const disk = mountDisk(folder, 'size=200k,ro');
    if (disk === null) return skip('a read-only disk cannot be mounted here');
    const ended = await assayHere(['run', join(folder, 'eval.json'), '--dir', join(disk, '.assay')]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/cannot write .*read-only file system/);
  });

  it('says so when a file stands where the runs should lie', async () => {
    const folder = await makeFolder({
      'eval.json': recordedEval(),
      'rows.jsonl': [{ input: 'q', expected: 'a', output: 'a' }],
      '.assay': 'not a folder',
    });
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^assay: cannot (read|write) /);
  });
});

it('refuses a dataset that changes between its two passes', async () => {
  const folder = await makeFolder({
    'eval.json': recordedEval({ sample_size: 1 }),
    'rows.jsonl': numberedRows(3).map((row) => ({ ...row, output: row.expected })),
  });
  const { prepareRun } = await import('../../../src/use-cases/prepare/prepare-run.ts');
  const { loadEval } = await import('../../../src/runner/load-eval.ts');
  const { FileRunStore } = await import('../../../src/adapters/local/file-run-store.ts');
  const { openDatasetFile } = await import('../../../src/adapters/local/dataset-file.ts');
  const { scoringFor } = await import('../../../src/core/scoring/scoring-for.ts');
  const { PRICES } = await import('../../../src/core/cost/price-table.ts');
  const { config, datasetPath } = await loadEval(join(folder, 'eval.json'));
  let opened = 0;
  const prepared = prepareRun(
    {
      runId: 'r-01M8PXPVVHQ7KA4ZTE53V7N4D7',
      project: 'local',
      evalVersion: 0,
      config,
      datasetId: 'rows',
      openDataset() {
        opened += 1;
        if (opened === 2) writeFileSync(datasetPath, '{"input":"q0","expected":"other","output":"a0"}\n');
        return openDatasetFile(datasetPath);
      },
      startedAt: '2026-01-01T00:00:00.000Z',
      ref: null,
      sha: null,
      triggeredBy: null,
      warnings: [],
    },
    {
      runs: new FileRunStore(join(folder, 'runs')),
      scoring: scoringFor(config.type),
      targets: [],
      judges: [],
      prices: PRICES,
    },
  );
  await expect(prepared).rejects.toThrow('the dataset changed while it was read');
  expect(existsSync(join(folder, 'runs', 'r-01M8PXPVVHQ7KA4ZTE53V7N4D7'))).toBe(false);
  expect(dirname(datasetPath)).toBe(folder);
});
