import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const script = fileURLToPath(new URL('./github-workflow.sh', import.meta.url));
const missing = ['bash', 'curl', 'jq'].filter((name) => !isInstalled(name));
if (missing.length > 0) console.warn(`skipped: the GitHub workflow needs ${missing.join(' and ')}`);

describe.skipIf(missing.length > 0)("Plainwright's GitHub workflow, unchanged", () => {
  let cloud: Cloud;
  let target: StubTarget;
  let tools: string;
  let right = true;
  beforeAll(async () => {
    target = await startStubTarget((question) => ({ answer: right ? rightAnswer(question) : 'no idea' }));
    cloud = await Cloud.start();
    tools = await mkdtemp(join(tmpdir(), 'assay-tools-'));
    // It sleeps 15 s between two looks; here a moment will do.
    await writeFile(join(tools, 'sleep'), '#!/bin/sh\nexec /bin/sleep 0.05\n', { mode: 0o755 });
  });
  afterAll(async () => {
    await cloud.stop();
    await target.close();
    await rm(tools, { recursive: true, force: true });
  });

  async function project(): Promise<string> {
    const id = await cloud.project();
    await cloud.putDataset(id, 'faq', qaRows(12));
    await cloud.putEval(id, qaEval(target.url));
    return id;
  }

  it('ends green when the gate passes', async () => {
    right = true;
    const { code, stdout } = await runScript(await project());
    expect(stdout.trim().split('\n').at(-1)).toBe('gate: pass');
    expect(code).toBe(0);
  });

  it('ends red when it fails', async () => {
    right = false;
    const { code, stdout } = await runScript(await project());
    expect(stdout.trim().split('\n').at(-1)).toBe('gate: fail');
    expect(code).not.toBe(0);
  });

  it('ends red with a wrong secret, and with no eval to run', async () => {
    const wrong = await runScript(await project(), 'whsec_wrong');
    expect(wrong.code).not.toBe(0);
    expect((await runScript(await cloud.project())).code).not.toBe(0);
  });

  function runScript(id: string, secret = cloud.secret(id)): Promise<{ code: number; stdout: string }> {
    const env = {
      PATH: `${tools}${delimiter}${process.env.PATH}`,
      PLAINWRIGHT_URL: cloud.stack.url,
      PROJECT_ID: id,
      SECRET: secret,
    };
    return new Promise((resolve) => {
      execFile('bash', ['--noprofile', '--norc', '-e', script], { env }, (error, stdout) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout });
      });
    });
  }
});

function isInstalled(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
