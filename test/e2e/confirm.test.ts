import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRICES } from '../../src/core/cost/price-table.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import { loadEval } from '../../src/runner/load-eval.ts';
import { startLocalRun } from '../../src/runner/local-run.ts';
import { Workspace } from '../../src/runner/workspace.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

/** Wrong from the second run on: row 0 always, row 1 once, row 2 at target b always, row 3 at a once and at b twice. */
function isWrong(row: number, path: string, call: number): boolean {
  if (row === 0) return true;
  if (row === 1) return call === 1;
  if (row === 2) return path === '/b';
  return row === 3 && call <= (path === '/a' ? 1 : 2);
}

let folder: string;
let target: StubTarget;
let cloud: Cloud;
let isBaseline = true;
const asked = new Map<string, number>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-confirm-'));
  target = await startStubTarget((question, _, path) => {
    const key = `${path} ${question}`;
    const call = (asked.get(key) ?? 0) + 1;
    asked.set(key, call);
    const row = Number(/\d+/.exec(question)?.[0]);
    return { answer: !isBaseline && isWrong(row, path, call) ? 'no idea' : rightAnswer(question) };
  });
  cloud = await Cloud.start();
});
afterAll(async () => {
  await cloud.stop();
  await target.close();
  await rm(folder, { recursive: true, force: true });
});

const rows = qaRows(30);
const evalOf = (dataset: string) => ({
  ...qaEval(target.url, { confirm_trials: 3, trials: 1, thresholds: { pass_rate: 0.5 } }),
  dataset,
  targets: ['a', 'b'].map((id) => ({
    id,
    type: 'http',
    url: `${target.url}/${id}`,
    body_template: { question: '{{input}}' },
    response_path: 'answer',
    retries: 0,
  })),
});

/** A run that passes, and one against it in which rows flip. */
async function twice(run: () => Promise<RunSummary>): Promise<RunSummary> {
  asked.clear();
  isBaseline = true;
  expect((await run()).gate).toBe('pass');
  asked.clear();
  isBaseline = false;
  return run();
}

async function locally(): Promise<RunSummary> {
  await writeFile(join(folder, 'rows.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
  await writeFile(join(folder, 'eval.json'), JSON.stringify(evalOf('rows.jsonl')));
  const workspace = new Workspace(join(folder, '.assay'));
  const loaded = await loadEval(join(folder, 'eval.json'));
  const context = { workspace, prices: PRICES, ref: null, sha: null, cancel: new AbortController().signal };
  return twice(async () => (await startLocalRun(loaded, context)).summary);
}

describe('rows that flipped', () => {
  it('are tried again at the targets at which they failed, with the same outcome on both drivers', async () => {
    const local = await locally();
    const callsLocally = new Map(asked);
    const project = await cloud.project();
    await cloud.putDataset(project, 'rows', rows);
    await cloud.putEval(project, evalOf('rows'));
    let runId = '';
    const deployed = await twice(async () => {
      runId = (await cloud.run(project)).runId;
      return cloud.summary(project, runId);
    });

    expect(local.baseline?.confirmation).toEqual({
      trials: 3,
      // Seven times a row at a target: all of three must fail.
      blame_at: 3,
      chance: expect.closeTo(0.007, 12),
      flipped: 4,
      regressed: ['row-0', 'row-2'],
      flaky: ['row-1', 'row-3'],
      not_confirmed: [],
      why: null,
      // Three failures each for row 0 at both targets and row 2 at one; rows 1 and 3 pass once, row 3 at b after a failure.
      results: 3 * 3 + 4 + 1,
    });
    expect(deployed.baseline?.confirmation).toEqual(local.baseline?.confirmation);
    expect(deployed.counts).toEqual(local.counts);
    expect(deployed.score).toBe(local.score);
    expect(JSON.stringify(deployed.decision)).toBe(JSON.stringify(local.decision));
    expect([...asked].sort()).toEqual([...callsLocally].sort());
    const confirmed = (await cloud.results(runId)).filter(({ phase }) => phase === 'confirm');
    expect(confirmed).toHaveLength(14);
  });

  it('do not show as progress beyond the run', async () => {
    const project = await cloud.project();
    await cloud.putDataset(project, 'rows', rows);
    await cloud.putEval(project, evalOf('rows'));
    let progress = { done: 0, total: 0 };
    await twice(async () => {
      const { gate, runId } = await cloud.run(project);
      progress = gate.progress;
      return cloud.summary(project, runId);
    });
    expect(progress).toEqual({ done: 60, total: 60 });
  });
});
