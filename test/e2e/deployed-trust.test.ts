import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { assayHere, type Ended } from './local/harness.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

let cloud: Cloud;
let target: StubTarget;
let folder: string;
beforeAll(async () => {
  // Three of 20 answers are wrong.
  target = await startStubTarget((question) => ({
    answer: /[349]$/.test(question) && !/1\d$/.test(question) ? 'no idea' : rightAnswer(question),
  }));
  cloud = await Cloud.start();
  folder = await mkdtemp(join(tmpdir(), 'assay-trust-'));
});
afterAll(async () => {
  await cloud.stop();
  await target.close();
  await rm(folder, { recursive: true, force: true });
});

/** The command as a person in the folder would give it: names of files there become paths. */
async function assay(args: readonly string[], more: Record<string, string | undefined> = {}): Promise<Ended> {
  const env = { ASSAY_URL: cloud.stack.url, ASSAY_TOKEN: cloud.stack.token, ASSAY_PROJECT: '', ...more };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const dir = args.includes('--dir') ? [] : ['--dir', join(folder, '.assay')];
  const placed = args.map((arg) => (/^[\w-]+\.(yaml|jsonl)$/.test(arg) ? join(folder, arg) : arg));
  return assayHere([...placed, ...dir]).finally(() => vi.unstubAllEnvs());
}
const locally = (args: readonly string[]): Promise<Ended> => assay(args, { ASSAY_URL: '', ASSAY_TOKEN: '' });
const put = (name: string, text: string) => writeFile(join(folder, name), text);

async function newToken(project: string, access: 'read' | 'write'): Promise<string> {
  const { token } = await cloud.expect(201, 'POST', '/api/tokens', { name: access, projects: [project], access });
  return token;
}

describe('assay decide on a run of the app', () => {
  let runId: string;
  let project: string;
  beforeAll(async () => {
    project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(20));
    await cloud.putEval(project, qaEval(target.url, { thresholds: { pass_rate: 0.8 } }));
    ({ runId } = await cloud.run(project));
    // The files of the run, as `aws s3 cp` would bring them here.
    const home = join(folder, '.assay', 'runs', runId);
    await mkdir(home, { recursive: true });
    const runs = cloud.stack.ports.runs(project);
    for (const name of ['config.json', 'rows.jsonl', 'summary.json', 'outcomes.jsonl.gz'] as const) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of (await runs.read(runId, name)) ?? []) chunks.push(chunk);
      await writeFile(join(home, name), Buffer.concat(chunks));
    }
    const lines = (await cloud.results(runId)).map((result) => `${JSON.stringify(result)}\n`);
    await writeFile(join(home, 'results.jsonl'), lines.join(''));
  });

  it.each([
    { name: 'the policy it had', policy: null, code: 0, gate: 'pass' },
    { name: 'a stricter one', policy: { thresholds: { pass_rate: 0.9 } }, code: 1, gate: 'fail' },
    {
      name: 'intervals that 20 rows cannot decide',
      policy: { decide_by: 'interval', margin: 0.03, on_inconclusive: 'error', thresholds: { pass_rate: 0.85 } },
      code: 2,
      gate: 'error',
    },
    {
      name: 'a judge that nobody calibrated',
      policy: { require_calibration: { min_kappa: 0.6, max_age_days: 30 }, thresholds: { pass_rate: 0.8 } },
      code: 2,
      gate: 'error',
    },
    { name: 'an empty file, which is all defaults', policy: {}, code: 1, gate: 'fail' },
  ])('decides under $name by the same bytes as this machine', async ({ policy, code, gate }) => {
    if (policy !== null) await put('policy.yaml', stringify(policy));
    const flags = policy === null ? [] : ['--policy', 'policy.yaml'];
    const deployed = await assay(['decide', runId, ...flags, '--json', '--url', cloud.stack.url]);
    const local = await locally(['decide', runId, ...flags, '--json']);
    expect(deployed).toMatchObject({ code, stderr: '' });
    expect(JSON.parse(deployed.stdout)).toMatchObject({ gate });
    expect(deployed.stdout).toBe(local.stdout);
    expect(local.code).toBe(code);
  });

  it('says the same in words', async () => {
    await put('policy.yaml', 'thresholds: {pass_rate: 0.9}\n');
    const deployed = await assay(['decide', runId, '--policy', 'policy.yaml', '--url', cloud.stack.url]);
    expect(deployed.stdout).toContain('gate: FAIL, it was PASS');
    expect(deployed.stdout).toBe((await locally(['decide', runId, '--policy', 'policy.yaml'])).stdout);
  });

  it('prints the policy in force, which decides as before', async () => {
    const printed = await assay(['decide', runId, '--print-policy', '--url', cloud.stack.url]);
    expect(printed.stdout).toBe((await locally(['decide', runId, '--print-policy'])).stdout);
    await put('printed.yaml', printed.stdout);
    const again = await assay(['decide', runId, '--policy', 'printed.yaml', '--json', '--url', cloud.stack.url]);
    expect(JSON.parse(again.stdout).changed).toMatchObject({ gate: false, policy: [] });
  });

  it('takes a token that only reads', async () => {
    const own = { ASSAY_TOKEN: await newToken(project, 'read') };
    expect(await assay(['decide', runId, '--url', cloud.stack.url], own)).toMatchObject({ code: 0 });
  });

  it.each([
    {
      name: 'a typo',
      text: 'thresholds:\n  pass_rat: 0.9\n',
      says: /policy\.yaml, line 2, field thresholds.*pass_rate/,
    },
    {
      name: 'a value out of range',
      text: 'thresholds:\n  pass_rate: 90\n',
      says: /line 2, field thresholds\.pass_rate/,
    },
    { name: 'a number that is none', text: 'thresholds:\n  pass_rate: .nan\n', says: /line 2.*NaN is no number/ },
    { name: 'a list', text: '- 1\n', says: /policy/ },
    { name: 'no YAML', text: 'thresholds: {', says: /policy\.yaml, line 1/ },
    { name: 'a margin without intervals', text: 'margin: 0.1\n', says: /margin/ },
  ])('refuses a policy with $name in words, as this machine does', async ({ text, says }) => {
    await put('policy.yaml', text);
    for (const run of [assay, locally]) {
      const where = run === assay ? ['--url', cloud.stack.url] : [];
      const ended = await run(['decide', runId, '--policy', 'policy.yaml', ...where]);
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).not.toContain('should not have happened');
    }
    const ended = await assay(['decide', runId, '--policy', 'policy.yaml', '--url', cloud.stack.url]);
    expect(ended.stderr).toMatch(says);
  });

  it.each([
    { name: 'is unknown', id: 'r-01JD0000000000000000000009', says: /HTTP 404.*there is no run/ },
    { name: 'is none', id: '../../etc', says: /is no run id/ },
  ])('says when the run $name', async ({ id, says }) => {
    const ended = await assay(['decide', id, '--url', cloud.stack.url]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(says);
  });
});

describe('assay calibrate --push', () => {
  const judged = (more: object = {}) => ({
    name: 'judged',
    type: 'instruction',
    dataset: 'rows',
    targets: [{ type: 'recorded' }],
    judge: { type: 'recorded' },
    rubric: 'Answers the question.',
    thresholds: { pass_rate: 0 },
    require_calibration: { min_kappa: 0.6, max_age_days: 30 },
    ...more,
  });
  const rowsOf = (count: number, human: boolean) =>
    Array.from({ length: count }, (_, n) => ({
      id: `row-${n}`,
      input: `q${n}`,
      output: `a${n}`,
      verdicts: { judge: { label: n % 2 === 0 ? 'pass' : 'fail', reason: 'as recorded' } },
      // People disagree on one answer in 20.
      ...(human ? { human_label: (n % 2 === 0) !== (n % 20 === 0) } : {}),
    }));

  async function prepared(): Promise<{ project: string; file: string }> {
    const project = await cloud.project();
    await cloud.putDataset(project, 'rows', rowsOf(30, false));
    await cloud.putEval(project, judged());
    await put(`${project}.yaml`, stringify({ ...judged(), dataset: './rows.jsonl' }));
    const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
    await put('labels.jsonl', lines(rowsOf(80, true)));
    await put('rows.jsonl', lines(rowsOf(30, false)));
    return { project, file: `${project}.yaml` };
  }

  /** `assay push`, which knows no `--dir`. */
  async function pushed(project: string, file: string): Promise<Ended> {
    vi.stubEnv('ASSAY_URL', cloud.stack.url);
    vi.stubEnv('ASSAY_TOKEN', cloud.stack.token);
    return assayHere(['push', join(folder, file), '--project', project]).finally(() => vi.unstubAllEnvs());
  }

  it('lets the judge gate in the app: refused before, decided after', async () => {
    const { project, file } = await prepared();
    expect((await cloud.run(project)).gate).toMatchObject({
      gate: 'error',
      runs: [{ message: expect.stringContaining('never compared with human labels') }],
    });
    const own = { ASSAY_TOKEN: await newToken(project, 'write') };
    const dir = ['--dir', join(folder, project)];
    const flags = ['--labels', 'labels.jsonl', '--label-policy', '2026-01', ...dir];
    const pushed = await assay(['calibrate', file, ...flags, '--push', '--project', project], own);
    expect(pushed).toMatchObject({ code: 0, stderr: '' });
    expect(pushed.stdout).toContain(`project ${project}: it counts for judged`);

    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('pass');
    const summary = await cloud.summary(project, runId);
    expect(summary.calibration).toMatchObject({ label_policy: '2026-01', labels: 80, age_days: 0 });
    const kept = await cloud.expect(200, 'GET', `/api/projects/${project}/calibrations`);
    expect(kept.items).toMatchObject([{ eval: 'judged', pushed: { by: 'token write' }, evals: ['judged'] }]);
    // 4 of 80 disagreements, 40 passes for the judge and 36 for people: κ = 1 − 4 ÷ 80 ÷ .5.
    expect(kept.items[0].kappa).toBeCloseTo(0.9, 9);
  });

  it('pushes what is kept here, asking nobody', async () => {
    const { project, file } = await prepared();
    const dir = ['--dir', join(folder, `${project}-kept`)];
    const none = await assay(['calibrate', file, '--push', '--project', project, ...dir]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/never compared.*--labels/s) });
    expect(await locally(['calibrate', file, '--labels', 'labels.jsonl', ...dir])).toMatchObject({ code: 0 });
    const pushed = await assay(['calibrate', file, '--push', '--project', project, '--json', ...dir]);
    expect(JSON.parse(pushed.stdout)).toMatchObject({ labels: 80, pushed_to: { project, evals: ['judged'] } });
  });

  it('is asked for when an eval is pushed whose judge is not calibrated', async () => {
    const { project, file } = await prepared();
    const before = await pushed(project, file);
    expect(before.stderr).toMatch(/warning: eval judged requires a calibrated judge.*--push --project/);
    const dir = ['--dir', join(folder, `${project}-pushed`)];
    await assay(['calibrate', file, '--labels', 'labels.jsonl', '--push', '--project', project, ...dir]);
    expect((await pushed(project, file)).stderr).toBe('');
  });

  it('says when it counts for no eval of the project', async () => {
    const { project, file } = await prepared();
    await cloud.putEval(project, judged({ rubric: 'Another one.' }));
    const dir = ['--dir', join(folder, `${project}-other`)];
    const pushed = await assay(['calibrate', file, '--labels', 'labels.jsonl', '--push', '--project', project, ...dir]);
    expect(pushed).toMatchObject({ code: 0, stdout: expect.stringContaining('it counts for no eval there') });
  });

  it('does not believe a κ that was written into the file', async () => {
    const { project, file } = await prepared();
    const home = join(folder, `${project}-told`);
    const ended = await locally(['calibrate', file, '--labels', 'labels.jsonl', '--json', '--dir', home]);
    const calibration = JSON.parse(ended.stdout);
    const path = join(home, 'calibrations', `${calibration.judge_hash}.json`);
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), kappa: 0.999 }));
    await assay(['calibrate', file, '--push', '--project', project, '--dir', home]);
    const kept = await cloud.expect(200, 'GET', `/api/projects/${project}/calibrations`);
    expect(kept.items[0].kappa).toBeCloseTo(0.9, 9);
  });

  it.each([
    { name: 'no project', args: ['--push'], env: {}, says: /--project/ },
    { name: 'a project that is not there', args: ['--push', '--project', 'nobody'], env: {}, says: /HTTP 404/ },
    { name: 'no token', args: ['--push', '--project', 'p1'], env: { ASSAY_TOKEN: '' }, says: /token/ },
    { name: 'no app', args: ['--push', '--project', 'p1'], env: { ASSAY_URL: '' }, says: /ASSAY_URL/ },
    { name: 'neither labels nor a push', args: [], env: {}, says: /no labelled dataset/ },
  ])('with $name fails before the judge is asked', async ({ args, env, says }) => {
    const { file } = await prepared();
    const home = join(folder, 'never');
    const ended = await assay(
      ['calibrate', file, ...(args.length === 0 ? [] : ['--labels', 'labels.jsonl']), ...args, '--dir', home],
      env,
    );
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).not.toContain('should not have happened');
  });
});
