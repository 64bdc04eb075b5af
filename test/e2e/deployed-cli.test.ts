import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const launcher = fileURLToPath(new URL('../../bin/assay.js', import.meta.url));

describe('assay push, trigger and status', () => {
  let cloud: Cloud;
  let target: StubTarget & { readonly wrong: Set<string> };
  let folder: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    const wrong = new Set<string>();
    const stub = await startStubTarget((question, _, path) => ({
      answer: path === '/wrong' || wrong.has(question) ? 'no idea' : rightAnswer(question),
    }));
    target = { ...stub, wrong };
    cloud = await Cloud.start();
    folder = await mkdtemp(join(tmpdir(), 'assay-push-'));
    env = { ASSAY_URL: `${cloud.stack.url}/`, ASSAY_TOKEN: cloud.stack.token };
  });
  afterAll(async () => {
    await cloud.stop();
    await target.close();
    await rm(folder, { recursive: true, force: true });
  });

  interface Ran {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }
  function assay(args: readonly string[], more: Record<string, string> = {}): Promise<Ran> {
    const options = { env: { PATH: process.env.PATH ?? '', ...env, ...more }, cwd: folder };
    return new Promise((resolve) => {
      execFile(process.execPath, [launcher, ...args], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }

  async function evals(name: string, files: Record<string, string>): Promise<string> {
    const path = join(folder, name);
    await mkdir(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text);
    return path;
  }
  const jsonl = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
  const config = (more: Record<string, unknown> = {}) =>
    JSON.stringify({ ...qaEval(target.url, more), dataset: './FAQ rows.jsonl' });
  const secretIn = ({ stdout }: Ran) => /ASSAY_WEBHOOK_SECRET=(whsec_\S+)/.exec(stdout)?.[1] ?? '';

  it('makes the project, tells its secret once, sends what changed and nothing else', async () => {
    const path = await evals('first', {
      'faq.yaml': config(),
      'FAQ rows.jsonl': jsonl(qaRows(12)),
      'compose.yml': 'services: {}',
    });
    const plan = await assay(['push', path, '--project', 'shop', '--dry-run']);
    expect(plan.stdout).toMatch(/\+ project {2}shop\n\+ dataset {2}faq-rows {2}12 rows .*\n\+ eval {5}faq/);
    expect(plan.stdout).toContain('compose.yml (no eval');
    expect((await cloud.call('GET', '/api/projects/shop')).status).toBe(404);

    const first = await assay(['push', path, '--project', 'shop']);
    expect(first).toMatchObject({ code: 0 });
    const secret = secretIn(first);
    expect(secret).not.toBe('');

    const second = await assay(['push', path, '--project', 'shop', '--json']);
    expect(JSON.parse(second.stdout)).toEqual({
      project: 'shop',
      dry_run: false,
      datasets: [{ name: 'faq-rows', version: expect.stringMatching(/^[0-9a-f]{64}$/), rows: 12, change: 'same' }],
      evals: [{ name: 'faq', change: 'same', next_run_at: null }],
    });
    expect(second.stderr).toContain('pushed 0 of 1 datasets, 0 of 1 evals');

    // Blanks and the order of keys are no change; a row and a threshold are.
    await writeFile(join(path, 'FAQ rows.jsonl'), `\n${jsonl(qaRows(12))}\n\n`);
    expect((await assay(['push', path, '--project', 'shop'])).stdout).toContain('pushed 0 of 1 datasets, 0 of 1 evals');
    await writeFile(join(path, 'FAQ rows.jsonl'), jsonl(qaRows(13)));
    await writeFile(join(path, 'faq.yaml'), config({ thresholds: { pass_rate: 0.9 } }));
    const changed = await assay(['push', path, '--project', 'shop']);
    expect(changed.stdout).toMatch(/= project .*\n~ dataset .*13 rows.*\n~ eval /);
    expect((await cloud.call('GET', '/api/evals/shop.faq')).body.version).toBe(2);

    const run = await assay(['trigger', '--project', 'shop', '--wait', '--json', '--quiet'], {
      ASSAY_WEBHOOK_SECRET: secret,
    });
    expect(run.code).toBe(0);
    const gate = JSON.parse(run.stdout);
    expect(gate).toMatchObject({ gate: 'pass', progress: { done: 13, total: 13 } });
    const status = await assay(['status', gate.gate_run_id], { ASSAY_WEBHOOK_SECRET: secret });
    expect(status).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^gate pass\n {2}passed {4}faq {2}13 of 13 rows passed/),
    });
  });

  it('exits with the gate: 1 for fail, 2 for what could not be decided', async () => {
    const path = await evals('gates', {
      'wrong.yaml': config({
        name: 'wrong',
        targets: [{ url: `${target.url}/wrong`, body_template: { question: '{{input}}' } }],
      }),
      'dead.yaml': config({ name: 'dead', targets: [{ url: 'http://127.0.0.1:9' }] }),
      'FAQ rows.jsonl': jsonl(qaRows(10)),
    });
    const secret = secretIn(await assay(['push', path, '--project', 'gates']));
    const wait = ['trigger', '--project', 'gates', '--wait', '--quiet', '--evals'];
    const [fail, error] = await Promise.all(
      ['wrong', 'dead'].map((name) => assay([...wait, name], { ASSAY_WEBHOOK_SECRET: secret })),
    );
    expect(fail).toMatchObject({ code: 1, stdout: expect.stringContaining('gate fail') });
    expect(error).toMatchObject({ code: 2, stdout: expect.stringContaining('gate error') });
  });

  it('keeps datasets: uploads what is new, shows versions and rows, deletes only when told so', async () => {
    await cloud.call('POST', '/api/projects', { id: 'kept' });
    const of = ['--project', 'kept'];
    const path = join(await evals('kept', { 'Läden.csv': 'q,truth\nWhere?,Here\nWhen?,Now\n' }), 'Läden.csv');
    expect(await assay(['datasets', 'list', ...of])).toMatchObject({ code: 0, stdout: 'no datasets in kept\n' });

    const columns = ['--column', 'input=q', '--column', 'expected=truth'];
    const first = await assay(['datasets', 'upload', path, ...columns, ...of]);
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^laden {2}2 rows {2}[0-9a-f]{12} {2}uploaded\n/),
    });
    expect((await assay(['datasets', 'upload', path, ...columns, ...of])).stdout).toContain('is there already');
    await writeFile(path, 'q,truth\nWhere?,There\n');
    expect((await assay(['datasets', 'upload', path, ...columns, ...of])).stdout).toContain(
      'uploaded as a new version',
    );

    expect((await assay(['datasets', 'list', ...of])).stdout).toMatch(/laden +1 +ready/);
    const shown = await assay(['datasets', 'show', 'laden', ...of]);
    expect(shown.stdout).toMatch(/version.*\n.*\n[0-9a-f]{12} +1 .*\n[0-9a-f]{12} +2 .*\n/);
    expect(shown.stdout).toMatch(/input +Where\?\n +expected +There/);

    const asked = await assay(['datasets', 'delete', 'laden', ...of]);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect((await assay(['datasets', 'delete', 'laden', '--yes', ...of])).stdout).toBe('deleted kept.laden\n');
    expect(await assay(['datasets', 'show', 'laden', ...of])).toMatchObject({ code: 2 });
  });

  it.each([
    { args: ['datasets'], says: 'takes a verb' },
    { args: ['datasets', 'drop'], says: 'knows no "drop"' },
    { args: ['datasets', 'show', '../x', '--project', 'kept'], says: 'no name of a dataset' },
    { args: ['datasets', 'upload', '--project', 'kept'], says: 'upload takes one file' },
    { args: ['datasets', 'upload', 'a.csv', '--column', 'input', '--project', 'kept'], says: 'is no pair' },
    { args: ['datasets', 'upload', 'absent.csv', '--project', 'kept'], says: 'absent.csv' },
  ])('refuses $args', async ({ args, says }) => {
    expect(await assay(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
  });

  it('makes tokens that reach what they were made for, until they are revoked', async () => {
    const path = await evals('tokens', { 'faq.yaml': config(), 'FAQ rows.jsonl': jsonl(qaRows(2)) });
    expect(await assay(['push', path, '--project', 'tokens'])).toMatchObject({ code: 0 });
    const created = await assay(['token', 'create', '--name', 'ci', '--project', 'tokens', '--expires', '7', '--json']);
    expect(created).toMatchObject({ code: 0 });
    const { token, id } = JSON.parse(created.stdout);
    const own = { ASSAY_TOKEN: token };
    expect(await assay(['push', path, '--project', 'tokens'], own)).toMatchObject({ code: 0 });
    expect((await assay(['push', path, '--project', 'elsewhere'], own)).stderr).toMatch(/HTTP 403/);
    expect((await assay(['token', 'list'], own)).stderr).toMatch(/HTTP 403/);
    expect((await assay(['token', 'list'])).stdout).toMatch(new RegExp(`${id} +ci +write +tokens +active`));
    expect((await assay(['token', 'revoke', id])).stdout).toMatch(/^revoked: /);
    expect((await assay(['push', path, '--project', 'tokens'], own)).stderr).toMatch(/HTTP 401/);
    expect(await assay(['token', 'constructor'])).toMatchObject({ code: 2 });
  });

  it('compares runs, lists results and pins a baseline, as it does on this machine', async () => {
    const path = await evals('pinned', {
      'faq.yaml': config({ baseline: 'pinned', thresholds: { fail_on_regression: true } }),
      'FAQ rows.jsonl': jsonl(qaRows(4)),
    });
    const secret = secretIn(await assay(['push', path, '--project', 'pinned']));
    const runOnce = async () => {
      const ran = await assay(['trigger', '--project', 'pinned', '--wait', '--json', '--quiet'], {
        ASSAY_WEBHOOK_SECRET: secret,
      });
      return JSON.parse(ran.stdout).runs[0].run_id as string;
    };
    const first = await runOnce();
    expect((await assay(['baseline', 'promote', first, '--note', 'v1'])).stdout).toMatch(
      new RegExp(`${first} .*by first token {2}v1`),
    );
    expect((await assay(['baseline', 'show', 'pinned.faq', '--json'])).stdout).toContain(first);
    target.wrong.add('question 1');
    const second = await runOnce();
    target.wrong.clear();
    const { body } = await cloud.call('GET', `/api/runs/${second}`);
    expect(body).toMatchObject({ status: 'failed', baseline: { run_id: first, regressed: ['row-1'] } });
    const compared = await assay(['diff', first, second, '--fail-on-regression']);
    expect(compared.code).toBe(1);
    expect(compared.stdout).toMatch(/regressed: 1 row\n {2}row-1 {2}1\.000 → 0\.000/);
    expect((await assay(['baseline', 'promote', second])).stderr).toMatch(/HTTP 409.*is failed/);
    const listed = await assay(['results', second, '--failed']);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('row-1') });
    expect(listed.stdout).not.toContain('row-2');
    expect((await assay(['results', second, '--json'])).stdout.trim().split('\n')).toHaveLength(4);
    const csv = await assay(['results', second, '--format', 'csv']);
    expect(csv).toMatchObject({ code: 0, stderr: '' });
    expect(csv.stdout.trim().split('\r\n')).toHaveLength(5);
    expect(csv.stdout).not.toContain('undefined');
    const [only] = JSON.parse((await assay(['results', second, '--failed', '--format', 'json'])).stdout).results;
    expect(only).toMatchObject({ row_id: 'row-1', attempts: 1, metadata: {} });
    expect((await assay(['baseline', 'show', 'faq'])).stdout).toMatch(/on this machine .*<project>\.<eval>/);
    expect((await assay(['cancel', second])).stderr).toMatch(/HTTP 409/);
  });

  it('sends nothing of a folder with a fault in it, and names the place', async () => {
    const path = await evals('faulty', {
      'a.yaml': config({ name: 'a' }),
      'b.yaml': 'name: b\ntype: qa\ndataset: ./FAQ rows.jsonl\ntargets: [{url: "http://x"}]\nthreshold: 1\n',
      'FAQ rows.jsonl': jsonl(qaRows(3)),
    });
    const pushed = await assay(['push', path, '--project', 'faulty']);
    expect(pushed.code).toBe(2);
    expect(pushed.stderr).toMatch(/b\.yaml, line 5, field threshold: .*thresholds/);
    expect((await cloud.call('GET', '/api/projects/faulty')).status).toBe(404);
  });

  it.each([
    { what: 'no app', args: ['push', '.', '--project', 'x'], env: { ASSAY_URL: '' }, says: /ASSAY_URL/ },
    {
      what: 'an app that is not there',
      args: ['trigger', '--project', 'x'],
      env: { ASSAY_URL: 'http://127.0.0.1:9', ASSAY_WEBHOOK_SECRET: 's' },
      says: /cannot be reached/,
    },
    {
      what: 'a wrong token',
      args: ['push', '.', '--project', 'x'],
      env: { ASSAY_TOKEN: 'wrong' },
      says: /HTTP 401.*token/s,
    },
    { what: 'no secret', args: ['trigger', '--project', 'x'], env: {}, says: /ASSAY_WEBHOOK_SECRET/ },
    {
      what: 'a wrong secret',
      args: ['trigger', '--project', 'shop'],
      env: { ASSAY_WEBHOOK_SECRET: 'wrong' },
      says: /HTTP 401/,
    },
    { what: 'no project', args: ['trigger'], env: {}, says: /--project/ },
    { what: 'no gate run', args: ['status', 'r-1'], env: { ASSAY_WEBHOOK_SECRET: 's' }, says: /no gate run/ },
    {
      what: 'an unknown gate run',
      args: ['status', 'g-01M8PYFAYM1B26GGCHXN4WDGZV', '--wait'],
      env: { ASSAY_WEBHOOK_SECRET: 's' },
      says: /HTTP 404/,
    },
  ])('$what ends with 2 and says what to do', async ({ args, env: more, says }) => {
    const ran = await assay(args, more as Record<string, string>);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(says);
  });

  it('a file above 4 MB goes past the API, in parts', async () => {
    const rows = qaRows(5_000).map((row) => ({ ...row, metadata: { filler: 'f'.repeat(1_000) } }));
    const path = await evals('large', { 'faq.yaml': config({ sample_size: 20 }), 'FAQ rows.jsonl': jsonl(rows) });
    const pushed = await assay(['push', path, '--project', 'large']);
    expect(pushed.stderr).toBe('');
    expect(pushed.stdout).toContain('+ dataset  faq-rows  5,000 rows');
    const again = await assay(['push', path, '--project', 'large']);
    expect(again.stdout).toContain('pushed 0 of 1 datasets, 0 of 1 evals');
    const run = await assay(['trigger', '--project', 'large', '--wait', '--quiet'], {
      ASSAY_WEBHOOK_SECRET: secretIn(pushed),
    });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('20 of 20 rows passed') });
  });
});
