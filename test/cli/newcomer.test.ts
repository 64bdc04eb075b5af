import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  assayHere,
  httpEval,
  makeFolder,
  numberedRows,
  rightAnswer,
  runHere,
  runIds,
  startTarget,
} from '../e2e/local/harness.ts';

const HELP_OF = ['init', 'validate', 'run', 'results', 'report'];

describe('help', () => {
  it('lists the commands and the exit codes', async () => {
    const ended = await assayHere(['--help']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    for (const name of HELP_OF) expect(ended.stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(ended.stdout).toContain('0 passed, 1 failed, 2 could not decide');
  });

  it.each(HELP_OF)('assay %s --help shows how it is used', async (name) => {
    const ended = await assayHere([name, '--help']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(`assay ${name}`);
  });

  it('is shown, with exit code 2, when there is no command', async () => {
    expect(await assayHere([])).toMatchObject({ code: 2, stdout: expect.stringContaining('Usage: assay') });
  });

  it.each([
    { args: ['rnu'], says: 'unknown command "rnu", did you mean "run"?' },
    { args: ['xyzzy'], says: 'unknown command "xyzzy" (assay --help lists them)' },
    { args: ['run', '--jsno', 'x.yaml'], says: 'did you mean --json?' },
    { args: ['validate', '--row', '3', 'x.yaml'], says: 'did you mean --rows?' },
    { args: ['run'], says: 'no eval file given (assay run <eval.yaml>)' },
    { args: ['validate'], says: 'no eval file given' },
    { args: ['results'], says: 'no run given' },
    { args: ['report', 'nope'], says: 'there is no finished run "nope"' },
    { args: ['run', 'a.yaml', 'b.yaml'], says: 'one eval file at a time, not also "b.yaml"' },
    { args: ['run', 'a.yaml', '--trials', '101'], says: '--trials takes a whole number from 1 to 100' },
    { args: ['run', 'a.yaml', '--judge', 'gpt'], says: 'one of bedrock, openai, lexical, recorded' },
    { args: ['run', 'a.yaml', '--judge', 'openai', '--judge-model', 'm'], says: '--judge-url' },
    { args: ['run', 'a.yaml', '--judge-from', 'r-1', '--judge', 'lexical'], says: '--judge-from' },
  ])('$args: $says', async ({ args, says }) => {
    const ended = await assayHere(args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(says);
    expect(ended.stderr).not.toContain('    at ');
  });
});

describe('assay init', () => {
  it('writes an eval that is valid with a judge that needs no model, and the schema for editors', async () => {
    const folder = join(await makeFolder(), 'evals');
    const ended = await assayHere(['init', folder]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(`then: assay validate ${join(folder, 'eval.yaml')}\n`);
    expect(readdirSync(folder).sort()).toEqual(['dataset.csv', 'eval.schema.json', 'eval.yaml']);
    expect(readFileSync(join(folder, 'eval.yaml'), 'utf8')).toMatch(
      /^# yaml-language-server: \$schema=\.\/eval\.schema\.json\n/,
    );
    const validated = await assayHere(['validate', join(folder, 'eval.yaml'), '--judge', 'lexical']);
    expect(validated).toMatchObject({ code: 0, stderr: '' });
    expect(validated.stdout).toMatch(/2 rows\n.*valid\n$/s);
  });

  it('writes an eval whose three judges are all that must be chosen from', async () => {
    const folder = join(await makeFolder(), 'evals');
    await assayHere(['init', folder]);
    const text = readFileSync(join(folder, 'eval.yaml'), 'utf8');
    const [judge = ''] = /^judge: .*$/m.exec(text) ?? [];
    const others = [...text.matchAll(/^# (judge: .*)$/gm)].map(([, line = '']) => line);
    expect(others).toHaveLength(2);
    for (const [index, other] of others.entries()) {
      const file = join(folder, `eval-${index}.yaml`);
      writeFileSync(file, text.replace(judge, other));
      expect(await assayHere(['validate', file])).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('is called valid only where a run would find what its judge needs', async () => {
    const nothing = { AWS_REGION: '', AWS_DEFAULT_REGION: '', AWS_CONFIG_FILE: '/none', AWS_PROFILE: '' };
    for (const [name, value] of Object.entries(nothing)) vi.stubEnv(name, value);
    try {
      const judge = { model: 'us.amazon.nova-2-lite-v1:0' };
      const eval_ = httpEval('http://127.0.0.1:1/', { type: 'metrics', judge });
      const folder = await makeFolder({ 'eval.json': eval_, 'rows.jsonl': numberedRows(2) });
      const validated = await assayHere(['validate', join(folder, 'eval.json')]);
      expect(validated.code).toBe(2);
      expect(validated.stderr).toContain('no AWS region is set for Bedrock');
      expect((await runHere(folder)).stderr).toContain('no AWS region is set for Bedrock');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('never overwrites a file', async () => {
    const folder = await makeFolder({ 'dataset.csv': 'mine' });
    const ended = await assayHere(['init', folder]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('dataset.csv: exists already');
    expect(readFileSync(join(folder, 'dataset.csv'), 'utf8')).toBe('mine');
    expect(existsSync(join(folder, 'eval.yaml'))).toBe(false);
  });

  it('says so when a file stands where its folder should be', async () => {
    const folder = await makeFolder({ evals: 'a file' });
    const ended = await assayHere(['init', join(folder, 'evals')]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).not.toContain('should not have happened');
  });
});

describe('assay validate', () => {
  const eval_ = httpEval('http://127.0.0.1:1/');

  it('shows the first rows as they will be asked', async () => {
    const folder = await makeFolder({ 'eval.json': eval_, 'rows.jsonl': numberedRows(20) });
    const ended = await assayHere(['validate', join(folder, 'eval.json'), '--rows', '2']);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/20 rows\n {2}row-0\n {4}input +q0\n {4}expected +a0\n {2}row-1\n {4}input +q1\n/);
    expect(ended.stdout).not.toContain('row-2');
    expect(ended.stdout.endsWith('valid\n')).toBe(true);
  });

  it('shows faults of the shape, of names, of the type and a missing dataset at once, each once', async () => {
    const wrong = {
      ...eval_,
      type: 'qa',
      dataset: 'missing.jsonl',
      trials: 0,
      colour: 'red',
      thresholds: { pass_rate: 80, require_contains: true },
      metrics: ['relevance'],
      rubric: 'be kind',
      labels: ['a'],
      veto: ['safety'],
      scorers: ['contians'],
    };
    const folder = await makeFolder({ 'eval.json': wrong });
    const { code, stderr } = await assayHere(['validate', join(folder, 'eval.json')]);
    expect(code).toBe(2);
    const fields = [...stderr.matchAll(/field ([\w.]+): /g)].map(([, field]) => field);
    expect(fields.toSorted()).toEqual([
      'colour',
      'labels',
      'metrics',
      'rubric',
      'scorers.0',
      'thresholds.pass_rate',
      'thresholds.require_contains',
      'trials',
      'veto.0',
    ]);
    expect(stderr).toMatch(/missing\.jsonl.*(not there|does not exist|no such file)/i);
  });

  it('says nothing of what hangs on a key that cannot be read', async () => {
    const targets = [{ url: 3 }];
    const wrong = { ...eval_, type: 'metrics', targets, metrics: 'relevance', veto: ['relevance'], judge: 'nova' };
    const folder = await makeFolder({ 'eval.json': wrong, 'rows.jsonl': numberedRows(2) });
    const { code, stderr } = await assayHere(['validate', join(folder, 'eval.json')]);
    expect(code).toBe(2);
    const fields = [...stderr.matchAll(/field ([\w.]+): /g)].map(([, field]) => field);
    expect(fields.toSorted()).toEqual(['judge', 'metrics', 'targets.0.url']);
  });

  it('names a missing dataset of an eval whose type is unknown', async () => {
    const folder = await makeFolder({ 'eval.json': { ...eval_, type: 'qaa', dataset: 'missing.jsonl' } });
    const { stderr } = await assayHere(['validate', join(folder, 'eval.json')]);
    expect(stderr).toContain('unknown type "qaa" (did you mean "qa"?)');
    expect(stderr).toContain('missing.jsonl');
  });

  it('warns of a request that is the same for every row, and so does the run', async () => {
    const target = await startTarget(rightAnswer);
    const base = httpEval(target.url);
    const targets = (base.targets as object[]).map((given) => ({ ...given, body_template: { question: 'q0' } }));
    const folder = await makeFolder({ 'eval.json': { ...base, targets }, 'rows.jsonl': numberedRows(1) });
    const says = 'target http: no {{input}} in url, headers or body_template: every row sends the same request';
    expect((await assayHere(['validate', join(folder, 'eval.json')])).stderr).toContain(`warning: ${says}`);
    const ended = await runHere(folder);
    expect(ended.stdout + ended.stderr).toContain('no {{input}} in url, headers or body_template');
  });

  it('shows faults of templates, secrets and rows at once', async () => {
    const targets = [
      { url: 'http://10.0.0.7/', headers: { 'X-Key': '{{secrets.NOT_SET_C}}' }, body_template: { q: '{{inptu}}' } },
    ];
    const rows =
      '{"input":"a"}\n{"input":"b","expected":"b"}\n{"input":\n{"id":"x","input":"c","expected":"c"}\n{"id":"x","input":"d","expected":"d"}\n';
    const folder = await makeFolder({ 'eval.json': { ...eval_, type: 'qa', targets }, 'rows.jsonl': rows });
    const ended = await assayHere(['validate', join(folder, 'eval.json')]);
    expect(ended.code).toBe(2);
    for (const fault of [
      'inptu',
      'NOT_SET_C',
      'line 1',
      'has no expected answer',
      'line 3',
      'line 5',
      'duplicate id "x"',
    ]) {
      expect(ended.stderr).toContain(fault);
    }
    expect(ended.stdout).toMatch(/\d faults\n$/);
  });

  it('gives the same as JSON', async () => {
    const folder = await makeFolder({
      'eval.json': eval_,
      'rows.jsonl': '{"input":"a"}\n{"input":"b","expected":"b"}\n',
    });
    const ended = await assayHere(['validate', join(folder, 'eval.json'), '--json']);
    expect(ended).toMatchObject({ code: 2, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      valid: false,
      faults: [{ line: 1, field: 'expected' }],
      first_rows: [{ input: 'b' }],
    });
    writeFileSync(join(folder, 'eval.json'), '{"name":"faq","type":"qa","datset":"rows.jsonl"}');
    const broken = await assayHere(['validate', join(folder, 'eval.json'), '--json']);
    expect(broken.code).toBe(2);
    expect(JSON.parse(broken.stdout)).toMatchObject({
      valid: false,
      faults: expect.arrayContaining([expect.objectContaining({ field: 'datset' })]),
    });
  });

  it('finds a baseline and a replayed run that do not exist', async () => {
    const folder = await makeFolder({
      'eval.json': {
        ...eval_,
        type: 'metrics',
        baseline: 'r-01M8PXPVVHQ7KA4ZTE53V7N4D7',
        judge: { type: 'recorded', from: 'r-01M8PXPVVHQ7KA4ZTE53V7N4D8' },
      },
      'rows.jsonl': numberedRows(2),
    });
    const ended = await assayHere(['validate', join(folder, 'eval.json'), '--dir', join(folder, '.assay')]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('there is no finished run "r-01M8PXPVVHQ7KA4ZTE53V7N4D7"');
    expect(ended.stderr).toContain('there is no run "r-01M8PXPVVHQ7KA4ZTE53V7N4D8" to replay');
  });

  it('names file and line of what does not belong to the dataset, in a run too', async () => {
    const judge = { type: 'openai', url: 'ftp://127.0.0.1/', model: 'm' };
    const text = JSON.stringify({ ...eval_, type: 'metrics', judge }, null, 2);
    const line = text.split('\n').findIndex((one) => one.includes('ftp:')) + 1;
    const folder = await makeFolder({ 'eval.json': text, 'rows.jsonl': numberedRows(2) });
    for (const verb of ['validate', 'run']) {
      const ended = await assayHere([verb, join(folder, 'eval.json')]);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain(`${join(folder, 'eval.json')}, line ${line}, field judge.url: `);
    }
  });

  it('sends nothing', async () => {
    const target = await startTarget(rightAnswer);
    const folder = await makeFolder({ 'eval.json': httpEval(target.url), 'rows.jsonl': numberedRows(2) });
    expect((await assayHere(['validate', join(folder, 'eval.json')])).code).toBe(0);
    expect(target.requests).toHaveLength(0);
    expect(existsSync(join(folder, '.assay'))).toBe(false);
  });
});

describe('after a run', () => {
  it('lists results, the failed ones only, and as many as asked for', async () => {
    const target = await startTarget((question) => (question === 'q3' ? 'no' : rightAnswer(question)));
    const folder = await makeFolder({ 'eval.json': httpEval(target.url), 'rows.jsonl': numberedRows(8) });
    await runHere(folder);
    const dir = ['--dir', join(folder, '.assay')];
    const [runId = ''] = runIds(folder);
    const failed = await assayHere(['results', runId, '--failed', ...dir]);
    expect(failed.code).toBe(0);
    expect(failed.stdout).toContain('row-3');
    expect(failed.stdout.match(/^(passed|failed)/gm)).toEqual(['failed']);
    const limited = await assayHere(['results', runId, '--limit', '2', ...dir]);
    expect(limited.stderr).toContain('6 more; --limit shows them');
    const raw = await assayHere(['results', runId, '--json', ...dir]);
    expect(
      raw.stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { index: number }).index)
        .sort(),
    ).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('writes the report again', async () => {
    const target = await startTarget(rightAnswer);
    const folder = await makeFolder({ 'eval.json': httpEval(target.url), 'rows.jsonl': numberedRows(2) });
    await runHere(folder);
    const [runId = ''] = runIds(folder);
    const path = join(folder, '.assay', 'runs', runId, 'report.html');
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, 'gone');
    const ended = await assayHere(['report', runId, '--dir', join(folder, '.assay')]);
    expect(ended).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect(readFileSync(path, 'utf8')).toBe(before);
  });
});
