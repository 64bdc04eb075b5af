import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDevStack } from '../../src/dev/dev-stack.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const ROWS = 60;

describe('a dev stack that stops and starts again', () => {
  let folder: string;
  let target: StubTarget;
  let heldFrom = Number.POSITIVE_INFINITY;
  beforeAll(async () => {
    target = await startStubTarget((question) => ({
      answer: rightAnswer(question),
      ...(Number(question.split(' ')[1]) >= heldFrom ? { after: new Promise(() => {}) } : {}),
    }));
  });
  afterAll(() => target.close());
  beforeEach(async () => {
    heldFrom = Number.POSITIVE_INFINITY;
    target.reset();
    folder = await mkdtemp(join(tmpdir(), 'assay-restart-'));
    return () => rm(folder, { recursive: true, force: true });
  });

  const start = () => Cloud.start({ folder, limits: { maxBatches: 2, maxInFlight: 2 } });
  async function begun(cloud: Cloud) {
    const project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(ROWS));
    await cloud.putEval(project, qaEval(target.url, { concurrency: 4 }));
    heldFrom = 40;
    const started = await cloud.trigger(project);
    while (!target.calls.has('question 40')) await new Promise((resolve) => setTimeout(resolve, 5));
    return { started, runId: started.runs[0]?.run_id ?? '' };
  }

  it('keeps projects, token and results, and goes on with the run that was under way', async () => {
    const first = await start();
    const { started, runId } = await begun(first);
    const { token } = first.stack;
    expect(await first.stack.close()).toBe(1);

    heldFrom = Number.POSITIVE_INFINITY;
    const second = await start();
    try {
      expect(second.stack.token).toBe(token);
      expect(second.stack.resumed).toBe(1);
      await second.stack.workflow.settled(runId);
      expect(await second.stack.ports.registry.getRun(runId)).toMatchObject({ status: 'passed', attempt: 1 });
      const secret = (await second.stack.secrets.webhook('p1'))?.current ?? '';
      const gate = await second.call('GET', started.status_url, undefined, { 'x-webhook-secret': secret });
      expect(gate.body).toMatchObject({ gate: 'pass', progress: { done: ROWS, total: ROWS } });
      expect((await second.results(runId)).map(({ index }) => index)).toEqual(
        Array.from({ length: ROWS }, (_, n) => n),
      );
      // The probe's rows and batches that had ended are not asked again.
      expect([...Array(8).keys()].map((n) => target.calls.get(`question ${n}`))).toEqual(Array(8).fill(1));
    } finally {
      await second.stack.close();
    }
  });

  it('also after a crash that wrote nothing down but the start', async () => {
    const first = await start();
    const { runId } = await begun(first);
    // What a killed process leaves: the file of the start, the emulators' own files.
    const path = join(folder, 'executions', `${runId}.json`);
    const atStart = await readFile(path, 'utf8');
    await first.stack.close();
    await writeFile(path, atStart);

    heldFrom = Number.POSITIVE_INFINITY;
    const second = await start();
    try {
      await second.stack.workflow.settled(runId);
      expect(await second.stack.ports.registry.getRun(runId)).toMatchObject({ status: 'passed' });
      expect((await second.results(runId)).map(({ index }) => index)).toEqual(
        Array.from({ length: ROWS }, (_, n) => n),
      );
    } finally {
      await second.stack.close();
    }
  });

  it('refuses a second one on the same folder, and leaves the first alone', async () => {
    const first = await start();
    try {
      await expect(startDevStack({ folder, port: 0 })).rejects.toThrow(/another `assay dev` runs on this folder/);
      expect((await first.call('GET', '/api/projects')).status).toBe(200);
    } finally {
      await first.stack.close();
    }
  });

  it('says which port is taken, and frees what it had started', async () => {
    const first = await start();
    const other = await mkdtemp(join(tmpdir(), 'assay-restart-'));
    try {
      const port = Number(new URL(first.stack.url).port);
      await expect(startDevStack({ folder: other, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
      const again = await startDevStack({ folder: other, port: 0 }); // its table is not locked
      await again.close();
      expect(await readdir(other)).toContain('dynamodb');
    } finally {
      await first.stack.close();
      await rm(other, { recursive: true });
    }
  });
});
