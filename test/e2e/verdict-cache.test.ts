import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRICES } from '../../src/core/cost/price-table.ts';
import type { RowResult } from '../../src/core/schemas/result.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import { readResults } from '../../src/runner/former-run.ts';
import { loadEval } from '../../src/runner/load-eval.ts';
import { startLocalRun } from '../../src/runner/local-run.ts';
import { Workspace } from '../../src/runner/workspace.ts';
import { JsonStub } from '../adapters/json-stub.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubConverse, startStubConverse } from './support/stub-converse.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const ROWS = 10;
/** What the target says besides the answer: another text is another answer to judge. */
let tail = '';
/** Rows on which the judge gives a label that is none, and so no verdict. */
let isDown = (_prompt: string): boolean => false;

let folder: string;
let target: StubTarget;
let converse: StubConverse;
let chat: JsonStub;
let chatUrl: string;
let cloud: Cloud;
let workspace: Workspace;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-cache-'));
  workspace = new Workspace(join(folder, '.assay'));
  target = await startStubTarget((question) => ({ answer: rightAnswer(question) + tail }));
  converse = await startStubConverse((_, { messages }) => {
    const prompt = JSON.stringify(messages);
    return { input: { judge: { reason: 'r', label: isDown(prompt) ? 'great' : 'pass' } } };
  });
  chat = new JsonStub(({ body }) => {
    const content = JSON.stringify({ judge: { reason: 'r', label: isDown(JSON.stringify(body)) ? 'great' : 'pass' } });
    const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content } }];
    return { status: 200, body: { choices, usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } } };
  });
  chatUrl = `${await chat.listen()}/v1`;
  cloud = await Cloud.start({ bedrock: { kind: 'endpoint', url: converse.url } });
});
afterAll(async () => {
  await cloud.stop();
  await Promise.all([target.close(), converse.close(), chat.close()]);
  await rm(folder, { recursive: true, force: true });
});

interface Ran {
  readonly summary: RunSummary;
  readonly results: readonly RowResult[];
}

const evalOf = (more: object) =>
  qaEval(target.url, { scorers: ['contains', 'judge'], canaries: false, judge_cache: true, ...more });

async function locally(more: object = {}): Promise<Ran> {
  const rows = qaRows(ROWS).map((row) => JSON.stringify(row));
  await writeFile(join(folder, 'rows.jsonl'), rows.join('\n'));
  const judge = { type: 'openai', url: chatUrl, model: 'stub' };
  await writeFile(join(folder, 'eval.json'), JSON.stringify({ ...evalOf({ judge, ...more }), dataset: 'rows.jsonl' }));
  const context = { workspace, prices: PRICES, ref: null, sha: null, cancel: new AbortController().signal };
  const { summary } = await startLocalRun(await loadEval(join(folder, 'eval.json')), context);
  return { summary, results: await Array.fromAsync(readResults(summary.run_id, workspace.runs)) };
}

let project: string | undefined;
async function deployed(more: object = {}): Promise<Ran> {
  if (project === undefined) {
    project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(ROWS));
  }
  const judge = { model: 'us.amazon.nova-2-lite-v1:0' };
  await cloud.putEval(project, evalOf({ judge, ...more }));
  const { runId } = await cloud.run(project);
  return { summary: await cloud.summary(project, runId), results: await cloud.results(runId) };
}

describe.each([
  { driver: 'assay run', run: locally, calls: () => chat.requests.length },
  { driver: 'a deployed run', run: deployed, calls: () => converse.total() },
])('kept verdicts in $driver', ({ run, calls }) => {
  async function counted(more?: object): Promise<Ran & { readonly asked: number }> {
    const before = calls();
    const ran = await run(more);
    return { ...ran, asked: calls() - before };
  }

  it('are used in the next run: it costs nothing, and its results and summary say so', async () => {
    tail = ' One.';
    const first = await counted();
    expect(first.asked).toBe(ROWS);
    expect(first.summary.verdict_cache).toEqual({ results: 0 });
    const second = await counted();
    expect(second.asked).toBe(0);
    expect(second.summary.verdict_cache).toEqual({ results: ROWS });
    expect(second.summary.cost.tokens.judge).toMatchObject({ input: 0, output: 0 });
    expect(second.summary).toMatchObject({ gate: 'pass', score: first.summary.score });
    expect(second.results.every(({ scores, spend }) => scores.judge?.cached === true && spend.judge_calls === 0)).toBe(
      true,
    );
    expect(second.results.every(({ scores }) => scores.contains?.cached === false)).toBe(true);
    // The target was asked anew, and its time is its own.
    expect(second.summary.latency.n).toBe(ROWS);
  });

  it('are none for other answers, other trials or another model', async () => {
    tail = ' Two.';
    expect((await counted()).asked).toBe(ROWS);
    expect((await counted({ trials: 2 })).asked).toBe(ROWS);
    tail = ' Three.';
    expect((await counted()).asked).toBe(ROWS);
  });

  it('are not used, and not looked for, without judge_cache', async () => {
    tail = ' Three.';
    const { asked, summary } = await counted({ judge_cache: false });
    expect(asked).toBe(ROWS);
    expect(summary.verdict_cache).toBeUndefined();
  });

  it('are not made of failures', async () => {
    tail = ' Four.';
    isDown = (prompt) => prompt.includes('question 3');
    const first = await counted({ thresholds: { min_coverage: 0, pass_rate: 0 } });
    expect(first.summary.counts.judge_error).toBe(1);
    isDown = () => false;
    const second = await counted();
    expect(second.summary.verdict_cache).toEqual({ results: ROWS - 1 });
    expect(second.asked).toBe(1);
  });
});

it('are files of their own, and a damaged one is judged again', async () => {
  tail = ' Five.';
  await locally();
  const cache = join(folder, '.assay', 'cache', 'verdicts');
  const files = (await readdir(cache, { recursive: true })).filter((name) => name.endsWith('.json'));
  for (const name of files) await writeFile(join(cache, name), '{"verdicts": {}}');
  const before = chat.requests.length;
  expect((await locally()).summary.verdict_cache).toEqual({ results: 0 });
  expect(chat.requests.length - before).toBe(ROWS);
});

it('that cannot be stored disturb no row, and the run says so', async () => {
  tail = ' Six.';
  const cache = join(folder, '.assay', 'cache');
  await rm(cache, { recursive: true });
  await writeFile(cache, 'a file where a folder should be');
  const { summary } = await locally();
  expect(summary).toMatchObject({ gate: 'pass', counts: { scored: ROWS } });
  expect(summary.warnings.join()).toContain('1 result: kept verdicts are not used from here on');
});
