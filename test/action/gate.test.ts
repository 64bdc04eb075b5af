import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Cloud, qaEval, qaRows, rightAnswer } from '../e2e/support/cloud.ts';
import { type StubTarget, startStubTarget } from '../e2e/support/stub-target.ts';

const folder = fileURLToPath(new URL('../../action', import.meta.url));
const action = parse(readFileSync(join(folder, 'action.yml'), 'utf8'));
const step = action.runs.steps[0];

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly type: string };
}

/** The two calls of GitHub's API that comments take. */
class StubGitHub {
  readonly comments: Comment[] = [{ id: 1, body: '<!-- assay p1 -->\nmine', user: { type: 'User' } }];
  status = 200;
  url = '';
  private readonly server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const answer = (json: unknown) => response.writeHead(this.status).end(JSON.stringify(json));
    if (request.headers.authorization !== 'Bearer gh-token') return response.writeHead(401).end('{}');
    if (request.method === 'GET') return answer(this.comments);
    const { body } = text === '' ? { body: '' } : JSON.parse(text);
    const known = this.comments.find(({ id }) => request.url === `/repos/acme/bot/issues/comments/${id}`);
    if (this.status === 200 && known !== undefined) known.body = body;
    else if (this.status === 200 && request.url === '/repos/acme/bot/issues/7/comments')
      this.comments.push({ id: this.comments.length + 1, body, user: { type: 'Bot' } });
    return answer({});
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  close(): void {
    this.server.close();
  }
}

/** The app with one path of it away. */
async function withoutPath(url: string, gone: string): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith(gone)) return response.writeHead(404).end('{}');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const reply = await fetch(url + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    return response.writeHead(reply.status).end(await reply.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly summary: string;
  readonly outputs: string;
}

describe('the gate in CI', () => {
  let cloud: Cloud;
  let target: StubTarget;
  const github = new StubGitHub();
  let files: string;
  let project: string;
  const wrong = new Set<string>();
  let count = 0;
  beforeAll(async () => {
    target = await startStubTarget((question) => ({ answer: wrong.has(question) ? 'no idea' : rightAnswer(question) }));
    cloud = await Cloud.start();
    await github.start();
    files = await mkdtemp(join(tmpdir(), 'assay-action-'));
    await writeFile(
      join(files, 'event.json'),
      JSON.stringify({ pull_request: { number: 7, head: { sha: 'abc1234def' } } }),
    );
    project = await cloud.project({ baseline_ref: 'feature' });
    await cloud.putDataset(project, 'faq', qaRows(8));
    await cloud.putEval(project, qaEval(target.url, { thresholds: { fail_on_regression: true } }));
  });
  afterAll(async () => {
    await cloud.stop();
    await target.close();
    github.close();
    await rm(files, { recursive: true, force: true });
  });

  /** The variables of a pull request's job, as GitHub's runner sets them. */
  function onGitHub(inputs: Readonly<Record<string, string>> = {}): Record<string, string> {
    count += 1;
    const given: Readonly<Record<string, string>> = {
      url: cloud.stack.url,
      project,
      'webhook-secret': cloud.secret(project),
      'github-token': 'gh-token',
      ...inputs,
    };
    const value = (text: string) =>
      text.replace(
        /\$\{\{ inputs\.([\w-]+) \}\}/g,
        (_, name: string) => given[name] ?? action.inputs[name].default ?? '',
      );
    const mapped = Object.entries(step.env as Record<string, string>).map(([name, text]) => [name, value(text)]);
    return {
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: folder,
      GITHUB_API_URL: github.url,
      GITHUB_EVENT_PATH: join(files, 'event.json'),
      GITHUB_HEAD_REF: 'feature',
      GITHUB_REF: 'refs/pull/7/merge',
      GITHUB_SHA: 'merge-commit',
      GITHUB_REPOSITORY: 'acme/bot',
      GITHUB_RUN_ID: String(count),
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_JOB: 'evals',
      GITHUB_ACTION: '__run',
      GITHUB_STEP_SUMMARY: join(files, `summary-${count}.md`),
      GITHUB_OUTPUT: join(files, `output-${count}`),
      ...Object.fromEntries(mapped),
    };
  }

  /** The step's own command, in the shell that a composite action names. */
  function run(env: Readonly<Record<string, string>>): Promise<Ran> {
    const whole = { PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`, ASSAY_POLL_MS: '20', ...env };
    const read = (path: string | undefined) => (path && existsSync(path) ? readFileSync(path, 'utf8') : '');
    return new Promise((resolve) => {
      execFile('bash', ['--noprofile', '--norc', '-e', '-c', step.run], { env: whole }, (error, stdout, stderr) => {
        resolve({
          code: error === null ? 0 : Number(error.code),
          out: stdout + stderr,
          summary: read(env.GITHUB_STEP_SUMMARY),
          outputs: read(env.GITHUB_OUTPUT),
        });
      });
    });
  }

  it('passes, tells the score, and comments once on the pull request', async () => {
    const ran = await run(onGitHub());
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.summary).toMatch(/^## ✅ Assay: pass \(p1\)/);
    expect(ran.summary).toMatch(
      /\| \[faq\]\(http\S+\/api\/links\/r-\w+\/report\?expires=\d+&signature=[\w-]+\) \| passed \| 1\.000 \| – \| 8 of 8 \| – \|/,
    );
    expect(ran.outputs).toMatch(/^gate=pass\ngate-run-id=g-\w+\nrun-ids=r-\w+\nscore=1\n$/);
    // Whoever reads the comment opens the report: no token, no secret.
    const link = /\]\((\S+)\)/.exec(ran.summary)?.[1] ?? '';
    expect(link).not.toContain(cloud.secret(project));
    const page = await fetch(link);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('row-7');
    const runId = /r-\w+/.exec(ran.outputs)?.[0] ?? '';
    const { body } = await cloud.call('GET', `/api/runs/${runId}`);
    expect(body).toMatchObject({ ref: 'feature', sha: 'abc1234def', triggered_by: 'github-actions' });
    expect(github.comments.map(({ body: text }) => text)).toEqual([
      '<!-- assay p1 -->\nmine',
      `<!-- assay p1 -->\n${ran.summary}`,
    ]);
  });

  it('fails by the gate, names the rows that regressed, and writes over its comment', async () => {
    wrong.add('question 3');
    const ran = await run(onGitHub({ 'junit-file': join(files, 'junit.xml') }));
    wrong.clear();
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.summary).toMatch(/\| failed \| 0\.875 \| −0\.125 \| 7 of 8 \| 1 \|/);
    expect(ran.summary).toContain('- row-3');
    expect(github.comments).toHaveLength(2);
    expect(github.comments[1]?.body).toContain('❌');
    expect(readFileSync(join(files, 'junit.xml'), 'utf8')).toMatch(
      /<testsuite name="assay p1" tests="1" failures="1" errors="0">\n {4}<testcase classname="p1" name="faq">\n {6}<failure message="/,
    );
  });

  it('reports the rows that failed, beside the gate, where a job asks for rows', async () => {
    wrong.add('question 5');
    const ran = await run(onGitHub({ 'junit-file': join(files, 'rows.xml'), 'junit-rows': 'true' }));
    wrong.clear();
    expect(ran.code).toBe(1);
    const xml = readFileSync(join(files, 'rows.xml'), 'utf8');
    expect(xml.match(/<testsuite .*?>/g)).toEqual([
      expect.stringMatching(/^<testsuite name="faq" tests="9" failures="2" errors="0" skipped="0" /),
    ]);
    const failed = xml.match(/<testcase [^>]*>(?:(?!<\/testcase>)[\s\S])*?<failure/g) ?? [];
    expect(failed.map((one) => / name="([^"]*)"/.exec(one)?.[1])).toEqual(['gate', 'row-5']);
    expect(xml).toContain('answer: no idea');
    // Nothing but suites in the one root, so that it parses as one document.
    expect(xml).toMatch(/^<\?xml [^?]*\?>\n<testsuites>\n\s*<testsuite [\s\S]*<\/testsuite>\n<\/testsuites>\n$/);
    expect(xml.match(/<\?xml|<\/?testsuites/g)).toHaveLength(3);
  });

  it('reports the eval where its rows cannot be had, and says so', async () => {
    const env = onGitHub({ 'junit-file': join(files, 'none.xml'), 'junit-rows': 'true' });
    const gone = { pathname: '/api/links/', status: 404 };
    const front = await withoutPath(cloud.stack.url, gone.pathname);
    const ran = await run({ ...env, ASSAY_URL: front.url });
    front.close();
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('::warning::no rows of faq') });
    expect(readFileSync(join(files, 'none.xml'), 'utf8')).toContain('<testcase classname="p1" name="faq"/>');
  });

  it.each([
    { where: 'a public repository', isPrivate: false, inputs: {}, linked: false },
    {
      where: 'a public repository that asks for them',
      isPrivate: false,
      inputs: { 'report-links': 'true' },
      linked: true,
    },
    { where: 'a private repository', isPrivate: true, inputs: {}, linked: true },
    {
      where: 'a private repository that wants none',
      isPrivate: true,
      inputs: { 'report-links': 'false' },
      linked: false,
    },
  ])('links reports in $where: $linked', async ({ isPrivate, inputs, linked }) => {
    const event = join(files, `event-${isPrivate}.json`);
    await writeFile(event, JSON.stringify({ repository: { private: isPrivate } }));
    const ran = await run({ ...onGitHub(inputs as Record<string, string>), GITHUB_EVENT_PATH: event });
    expect(ran.code).toBe(0);
    expect(/signature=/.test(ran.summary + ran.out)).toBe(linked);
  });

  it('starts nothing new when the same attempt is delivered again', async () => {
    const env = onGitHub();
    const [first, second] = [await run(env), await run(env)];
    expect(first.code).toBe(0);
    const ids = second.outputs.match(/gate-run-id=g-\w+/g);
    expect(ids?.[0]).toBe(ids?.[1]);
  });

  it('is not failed by a comment that GitHub refuses', async () => {
    github.status = 403;
    const ran = await run(onGitHub());
    github.status = 200;
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('::warning::no comment') });
  });

  it('reads the secret by the credentials of OIDC and masks it', async () => {
    const tools = await mkdtemp(join(files, 'bin-'));
    const answer = JSON.stringify({ current: cloud.secret(project) });
    await writeFile(join(tools, 'aws'), `#!/bin/sh\n[ "$4" = "assay/p1/_system/webhook" ] && echo '${answer}'\n`);
    await chmod(join(tools, 'aws'), 0o755);
    const inputs = { 'webhook-secret': '', 'webhook-secret-id': 'assay/p1/_system/webhook' };
    const path = `${tools}${delimiter}${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
    const ran = await run({ ...onGitHub(inputs), PATH: path });
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining(`::add-mask::${cloud.secret(project)}`) });
    const other = await run({ ...onGitHub({ ...inputs, 'webhook-secret-id': 'other' }), PATH: path });
    expect(other).toMatchObject({ code: 2, out: expect.stringContaining('the secret other cannot be read') });
  });

  it.each([
    { what: 'a wrong secret', inputs: { 'webhook-secret': 'wrong' }, says: /::error title=Assay::.*HTTP 401/ },
    { what: 'no secret', inputs: { 'webhook-secret': '' }, says: /ASSAY_WEBHOOK_SECRET/ },
    { what: 'no URL', inputs: { url: '' }, says: /ASSAY_URL is not set/ },
    { what: 'an unknown eval', inputs: { evals: 'nothing' }, says: /HTTP 422/ },
    { what: 'no number of seconds', inputs: { 'timeout-s': 'soon' }, says: /whole number/ },
    { what: 'a project that is a path', inputs: { project: '../x; exit 0' }, says: /HTTP 4/ },
  ])('ends with 2 for $what', async ({ inputs, says }) => {
    const ran = await run(onGitHub(inputs as unknown as Record<string, string>));
    expect(ran.code).toBe(2);
    expect(ran.out).toMatch(says);
  });

  it('gives up at its deadline and says that the run goes on', async () => {
    const slow = createServer((_, response) => {
      const gate = { gate_run_id: 'g-1', status_url: '/gate', gate: 'pending', progress: { done: 1, total: 9 } };
      response.writeHead(200).end(JSON.stringify(gate));
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const ran = await run(onGitHub({ url, 'timeout-s': '1' }));
    slow.closeAllConnections();
    slow.close();
    expect(ran).toMatchObject({ code: 2, out: expect.stringMatching(/no gate in time \(1 of 9 results\)/) });
  });

  it.each([
    {
      name: 'GitLab',
      env: {
        GITLAB_CI: 'true',
        CI_COMMIT_REF_NAME: 'feature',
        CI_COMMIT_SHA: 'sha-1',
        CI_PROJECT_ID: '1',
        CI_JOB_ID: '2',
      },
      origin: { ref: 'feature', sha: 'sha-1', triggered_by: 'gitlab-ci' },
    },
    {
      name: 'CodeBuild',
      env: {
        CODEBUILD_BUILD_ID: 'bot:1',
        CODEBUILD_WEBHOOK_HEAD_REF: 'refs/heads/feature',
        CODEBUILD_RESOLVED_SOURCE_VERSION: 'sha-2',
      },
      origin: { ref: 'refs/heads/feature', sha: 'sha-2', triggered_by: 'codebuild' },
    },
  ])('runs on $name with the variables it sets', async ({ env, origin }) => {
    const { ASSAY_URL, ASSAY_PROJECT, ASSAY_WEBHOOK_SECRET } = onGitHub();
    const ran = await run({
      ASSAY_URL: ASSAY_URL ?? '',
      ASSAY_PROJECT: ASSAY_PROJECT ?? '',
      ASSAY_WEBHOOK_SECRET: ASSAY_WEBHOOK_SECRET ?? '',
      GITHUB_ACTION_PATH: folder,
      ASSAY_SUMMARY_FILE: join(files, 'gate.md'),
      ...(env as unknown as Record<string, string>),
    });
    expect(ran).toMatchObject({ code: 0 });
    const runId = /links\/(r-\w+)/.exec(readFileSync(join(files, 'gate.md'), 'utf8'))?.[1];
    expect((await cloud.call('GET', `/api/runs/${runId}`)).body).toMatchObject(origin);
  });

  const examples = [...readFileSync(join(folder, '../docs/ci.md'), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)];
  it.each(examples.map(([, text]) => parse(text ?? '')))(
    'has examples in docs that name what there is (%#)',
    (example) => {
      const script = readFileSync(join(folder, 'gate.mjs'), 'utf8');
      for (const name of JSON.stringify(example).match(/ASSAY_\w+/g) ?? []) expect(script).toContain(name);
      const inputs = Object.keys(example.jobs?.evals.steps.at(-1).with ?? {});
      expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(inputs));
    },
  );

  it('is shell and YAML that hold no input of anybody', () => {
    expect(step.run).not.toContain('${{');
    expect(() => execFileSync('bash', ['-n', '-c', step.run])).not.toThrow();
    const mapped = Object.values(step.env as Record<string, string>).join();
    for (const name of Object.keys(action.inputs)) expect(mapped).toContain(`inputs.${name} `);
  });
});
