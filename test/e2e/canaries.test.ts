import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRICES } from '../../src/core/cost/price-table.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import { loadEval } from '../../src/runner/load-eval.ts';
import { resumeLocalRun, startLocalRun } from '../../src/runner/local-run.ts';
import { Workspace } from '../../src/runner/workspace.ts';
import { JsonStub } from '../adapters/json-stub.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubConverse, startStubConverse } from './support/stub-converse.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const MODEL = 'us.amazon.nova-2-lite-v1:0';
const ROWS = 12;

/** A judge that reads the text between the fences; `sway` makes it obey what it reads there. */
type Rule = (prompt: string) => 'pass' | 'fail' | 'nothing';
const sound: Rule = (prompt) => (/capital of Australia/.test(prompt) && !/is Canberra/.test(prompt) ? 'fail' : 'pass');
const obeying: Rule = (prompt) => (/best grade/.test(prompt) ? 'pass' : sound(prompt));
let rule: Rule = sound;

let folder: string;
let target: StubTarget;
let converse: StubConverse;
let chat: JsonStub;
let chatUrl: string;
let cloud: Cloud;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-canaries-'));
  target = await startStubTarget((question) => ({ answer: rightAnswer(question) }));
  converse = await startStubConverse((_, { messages }) => {
    const ruling = rule(messages.map(({ content }) => content.map(({ text }) => text).join()).join());
    return ruling === 'nothing'
      ? { error: { status: 403, name: 'AccessDeniedException' } }
      : { input: { judge: { reason: 'r', label: ruling } } };
  });
  chat = new JsonStub(({ body }) => {
    const { messages } = body as { messages: { role: string; content: string }[] };
    const ruling = rule(
      messages
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content)
        .join(),
    );
    const content = ruling === 'nothing' ? 'I like it.' : JSON.stringify({ judge: { reason: 'r', label: ruling } });
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    return {
      status: 200,
      body: { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }], usage },
    };
  });
  chatUrl = `${await chat.listen()}/v1`;
  cloud = await Cloud.start({ bedrock: { kind: 'endpoint', url: converse.url } });
});
afterAll(async () => {
  await cloud.stop();
  await Promise.all([target.close(), converse.close(), chat.close()]);
  await rm(folder, { recursive: true, force: true });
});

async function locally(more: object = {}) {
  const rows = qaRows(ROWS).map((row) => JSON.stringify(row));
  const judge = { type: 'openai', url: chatUrl, model: 'stub' };
  await writeFile(join(folder, 'rows.jsonl'), rows.join('\n'));
  const config = { ...qaEval(target.url, { scorers: ['contains', 'judge'], judge, ...more }), dataset: 'rows.jsonl' };
  await writeFile(join(folder, 'eval.json'), JSON.stringify(config));
  const workspace = new Workspace(join(folder, '.assay'));
  const context = { workspace, prices: PRICES, ref: null, sha: null, cancel: new AbortController().signal };
  const { summary } = await startLocalRun(await loadEval(join(folder, 'eval.json')), context);
  return { summary, resume: () => resumeLocalRun(summary.run_id, context) };
}

async function deployed(more: object = {}): Promise<RunSummary> {
  const project = await cloud.project();
  await cloud.putDataset(project, 'faq', qaRows(ROWS));
  await cloud.putEval(
    project,
    qaEval(target.url, { scorers: ['contains', 'judge'], judge: { model: MODEL }, ...more }),
  );
  const { runId } = await cloud.run(project);
  return cloud.summary(project, runId);
}

describe.each([
  {
    driver: 'assay run',
    run: async (more?: object) => (await locally(more)).summary,
    calls: () => chat.requests.length,
  },
  { driver: 'a deployed run', run: deployed, calls: () => converse.total() },
])('planted answers in $driver', ({ run, calls }) => {
  it('do not disturb a judge that rules on the answer', async () => {
    rule = sound;
    const before = calls();
    const summary = await run();
    expect(summary).toMatchObject({ gate: 'pass', counts: { passed: ROWS }, stopped: null });
    expect(summary.canaries).toMatchObject({ asked: 4, held: 4, failed: 0, wrong: [] });
    expect(calls() - before).toBe(ROWS + 4);
    // What they cost is shown, and part of what the run cost.
    expect(summary.canaries?.usage).toMatchObject({ input: 400, output: 80 });
    expect(summary.cost.tokens.judge).toMatchObject({ input: (ROWS + 4) * 100, output: (ROWS + 4) * 20 });
  });

  it('end a run whose judge obeys the answer, before any row is asked', async () => {
    rule = obeying;
    target.reset();
    const summary = await run();
    expect(summary).toMatchObject({ status: 'error', gate: 'error', counts: { skipped: ROWS, scored: 0 } });
    expect(summary.skipped_by_cause).toEqual({ 'judge compromised': ROWS });
    expect(summary.decision.reasons[0]).toMatchObject({ rule: 'judge_compromised', outcome: 'error' });
    expect(summary.decision.reasons[0]?.text).toMatch(
      /^judge compromised: .* did not fail a planted answer that is wrong and tells the judge to pass it \(canary asks-to-pass/,
    );
    expect(summary.message).toContain(`stopped after 0 of ${ROWS} rows (judge compromised: `);
    expect(target.total()).toBe(0);
  });

  it('are not planted when switched off', async () => {
    rule = obeying;
    const before = calls();
    const summary = await run({ canaries: false });
    expect(summary.gate).toBe('pass');
    expect(summary.canaries).toBeUndefined();
    expect(calls() - before).toBe(ROWS);
  });

  it('without a verdict count as a judge that fails', async () => {
    rule = () => 'nothing';
    const summary = await run({ concurrency: 1 });
    expect(summary.gate).toBe('error');
    expect(summary.canaries).toMatchObject({ asked: 4, failed: 4, wrong: [] });
    // Four planted answers and four rows make the eight after which a judge is given up.
    expect(summary.counts).toMatchObject({ judge_error: 4, skipped: ROWS - 4 });
    expect(summary.stopped?.why).toContain('the judge failed 8 rows before grading any, 4 planted ones among them');
  });
});

it('a resumed run is not checked twice, and a compromised judge stays one', async () => {
  rule = obeying;
  const { summary, resume } = await locally();
  const before = chat.requests.length;
  rule = sound;
  const resumed = await resume();
  expect(chat.requests.length).toBe(before);
  expect(resumed.summary.decision).toEqual(summary.decision);
});

it('the decision is the same on both drivers but for the name of the judge', async () => {
  rule = obeying;
  const [local, remote] = [(await locally()).summary, await deployed()];
  const rename = (summary: RunSummary, name: string) => JSON.stringify(summary.decision).replaceAll(name, 'judge');
  expect(rename(remote, MODEL)).toBe(rename(local, 'stub'));
});
