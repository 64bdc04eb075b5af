import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHandler as createAggregateRun } from '../../lambdas/aggregate-run/handler.ts';
import { createHandler as createEvaluateRows } from '../../lambdas/evaluate-rows/handler.ts';
import { createHandler as createPrepareRun } from '../../lambdas/prepare-run/handler.ts';
import { MemoryCalibrations } from '../../src/adapters/memory/memory-calibrations.ts';
import { MemoryDatasetStore } from '../../src/adapters/memory/memory-dataset-store.ts';
import { MemoryRegistry } from '../../src/adapters/memory/memory-registry.ts';
import { MemoryResultParts } from '../../src/adapters/memory/memory-result-parts.ts';
import { MemoryRowIndex } from '../../src/adapters/memory/memory-row-index.ts';
import { MemoryRunEvents } from '../../src/adapters/memory/memory-run-events.ts';
import { MemoryRunSlots } from '../../src/adapters/memory/memory-run-slots.ts';
import { MemoryRunStore } from '../../src/adapters/memory/memory-run-store.ts';
import { MemorySchedules } from '../../src/adapters/memory/memory-schedules.ts';
import { MemorySpendLedger } from '../../src/adapters/memory/memory-spend-ledger.ts';
import { MemorySystemSecrets } from '../../src/adapters/memory/memory-system-secrets.ts';
import { MemoryWorkflow } from '../../src/adapters/memory/memory-workflow.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { calibrationOf } from '../../src/core/calibration/calibration-of.ts';
import { parseEval } from '../../src/core/config/parse-eval.ts';
import { PRICES } from '../../src/core/cost/price-table.ts';
import { evalJudgeHash } from '../../src/core/judging/eval-judge-hash.ts';
import { unpackResult } from '../../src/core/packed-result.ts';
import { readText } from '../../src/core/read-text.ts';
import type { CalibrationEvidence } from '../../src/core/schemas/calibration.ts';
import type { RowResult } from '../../src/core/schemas/result.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import type { PreparedRun } from '../../src/core/schemas/workflow.ts';
import { DEV_LIMITS, DEV_RUN_LIMITS } from '../../src/dev/dev-functions.ts';
import type { LambdaHandler } from '../../src/dev/lambda-host.ts';
import { loadEval } from '../../src/runner/load-eval.ts';
import { startLocalRun } from '../../src/runner/local-run.ts';
import { Workspace } from '../../src/runner/workspace.ts';
import { createProject } from '../../src/use-cases/manage/create-project.ts';
import { putEval } from '../../src/use-cases/manage/put-eval.ts';
import { storeDataset } from '../../src/use-cases/manage/store-dataset.ts';
import { startGateRun } from '../../src/use-cases/start/start-gate-run.ts';
import { EVIDENCE } from '../contracts/calibrations.ts';
import { Cloud } from './support/cloud.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const ROWS = 200;

/** Rows of every kind that a target can answer: right, wrong, empty, refused, of all sizes and scripts. */
const rows = Array.from({ length: ROWS }, (_, n) => ({
  id: `row-${n}`,
  input: `question ${n}${n % 9 === 0 ? ' «ünïcode» 🚀\u2028line' : ''}`,
  expected: `answer ${n}`,
  tags: [n % 2 === 0 ? 'even' : 'odd'],
  ...(n % 5 === 0 ? { cluster: `c${n % 3}` } : {}),
  metadata: { URL: 'a', Url: String(n) },
}));

function reply(question: string) {
  const n = Number(/\d+/.exec(question)?.[0]);
  if (n % 20 === 3) return { status: 500, answer: 'broken' };
  if (n % 20 === 7) return { answer: '' };
  if (n % 10 === 1) return { answer: 'no idea' };
  return { answer: `It is answer ${n}, "quoted"\r\nand 日本語.` };
}

interface Outcome {
  readonly summary: RunSummary;
  readonly results: readonly RowResult[];
}

let folder: string;
let target: StubTarget;
let cloud: Cloud;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-same-'));
  target = await startStubTarget(reply);
  cloud = await Cloud.start();
});
afterAll(async () => {
  await cloud.stop();
  await target.close();
  await rm(folder, { recursive: true, force: true });
});

const config = (url: string, dataset: string, more: object = {}) => ({
  name: 'same',
  type: 'metrics',
  dataset,
  targets: [{ type: 'http', url, body_template: { question: '{{input}}' }, response_path: 'answer', retries: 0 }],
  judge: { type: 'lexical' },
  metrics: ['correctness', 'relevance'],
  thresholds: { min_score: 0.5 },
  concurrency: 8,
  ...more,
});

async function locally(
  more: object,
  rowsOf: readonly object[],
  url: string,
  calibrated: CalibrationEvidence | null = null,
): Promise<Outcome> {
  await writeFile(join(folder, 'same.jsonl'), rowsOf.map((row) => JSON.stringify(row)).join('\n'));
  await writeFile(join(folder, 'same.yaml'), JSON.stringify(config(url, './same.jsonl', more)));
  const workspace = new Workspace(join(folder, `work-${Math.random()}`));
  if (calibrated !== null) await workspace.calibrations.put(calibrationOf(calibrated));
  const { run, summary } = await startLocalRun(await loadEval(join(folder, 'same.yaml')), {
    workspace,
    prices: PRICES,
    ref: null,
    sha: null,
    cancel: new AbortController().signal,
  });
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(join(workspace.runs.locate(run.run_id, 'summary.json'), '..', 'results.jsonl'), 'utf8');
  return { summary, results: text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RowResult])) };
}

async function onDevStack(
  more: object,
  rowsOf: readonly object[],
  url: string,
  calibrated: CalibrationEvidence | null = null,
): Promise<Outcome> {
  const project = await cloud.project();
  await cloud.putDataset(project, 'same', rowsOf, 'columns' in more ? (more.columns as object) : {});
  await cloud.putEval(project, config(url, 'same', more));
  if (calibrated !== null) await cloud.expect(200, 'POST', `/api/projects/${project}/calibrations`, calibrated);
  const { runId } = await cloud.run(project);
  return { summary: await cloud.summary(project, runId), results: await cloud.results(runId) };
}

/** The handlers called one after the other, as the workflow would: no interpreter, no emulator, no HTTP. */
async function byHand(
  more: object,
  rowsOf: readonly object[],
  url: string,
  calibrated: CalibrationEvidence | null = null,
): Promise<Outcome> {
  const clock = systemClock;
  const registry = new MemoryRegistry(clock);
  const runs = new MemoryRunStore();
  const parts = new MemoryResultParts();
  const workflow = new MemoryWorkflow();
  const calibrations = new MemoryCalibrations();
  if (calibrated !== null) await calibrations.put(calibrationOf(calibrated));
  const { createEnvironment } = await import('../../src/adapters/build-environment.ts');
  const ports = {
    clock,
    registry,
    parts,
    workflow,
    slots: new MemoryRunSlots(),
    events: new MemoryRunEvents(),
    runLimits: DEV_RUN_LIMITS,
    schedules: new MemorySchedules(),
    prices: PRICES,
    runs: () => runs,
    rowIndex: new MemoryRowIndex(),
    ledger: new MemorySpendLedger(),
    calibrations: () => calibrations,
    datasets: new MemoryDatasetStore(),
    rowsKey: (_: string, runId: string) => `${runId}/rows.jsonl`,
    limits: DEV_LIMITS,
    openEnvironment: (_: string, evalConfig: Parameters<typeof createEnvironment>[0]) =>
      createEnvironment(evalConfig, {
        secrets: { read: async () => new Map() },
        prices: PRICES,
        loopback: true,
        env: {},
      }),
    onDecided: () => {},
    randomBytes: (count: number) => new Uint8Array(count).fill(7),
    systemSecrets: new MemorySystemSecrets(),
  };
  await createProject({ id: 'hand' }, ports);
  const file = rowsOf.map((row) => JSON.stringify(row)).join('\n');
  const open = async () => ({ name: 'same.jsonl', chunks: chunksOf(file) });
  await storeDataset({ project: 'hand', dataset: 'same', open }, ports);
  await putEval({ project: 'hand', raw: config(url, 'same', more), mode: 'create' }, ports);
  const gate = await startGateRun({ project: 'hand', ref: null, sha: null, triggeredBy: null, rawBody: '' }, ports);
  const run_id = gate.run_ids[0] ?? '';
  const input = { run_id, project: 'hand' };
  const context = { getRemainingTimeInMillis: () => 900_000 } as never;
  const prepared = (await call(createPrepareRun(ports), input, context)) as PreparedRun;
  const evaluate = createEvaluateRows(ports);
  const probe = (await call(evaluate, { ...input, items: prepared.probe }, context)) as { stop: unknown };
  if (probe.stop === null) {
    const items = (await readText((await runs.read(run_id, 'rows.jsonl')) as never))
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
      .map(({ index, offset }) => ({ index, offset }));
    for (let at = 0; at < items.length; at += prepared.batch_size) {
      await call(evaluate, { ...input, items: items.slice(at, at + prepared.batch_size) }, context);
    }
  }
  await call(createAggregateRun(ports), { ...input, stop: probe.stop }, context);
  const summary = JSON.parse(await readText((await runs.read(run_id, 'summary.json')) as never)) as RunSummary;
  const run = await registry.getRun(run_id);
  const results: RowResult[] = [];
  const ref = { runId: run_id, project: 'hand', startedAt: run?.started_at ?? '' };
  for await (const chunks of parts.reader(ref).read(run_id)) {
    for (const line of (await readText(chunks)).split('\n')) {
      if (line !== '') results.push(unpackResult(JSON.parse(line)));
    }
  }
  return { summary, results };
}

function call(handler: unknown, event: object, context: never): Promise<unknown> {
  return (handler as LambdaHandler)(JSON.parse(JSON.stringify(event)), context);
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** What may differ between drivers: ids, times, who owns it. Everything else is compared as it is. */
function comparable({ summary, results }: Outcome) {
  const { run_id, project, started_at, finished_at, latency, baseline, ...rest } = summary;
  const targets = rest.targets.map(({ latency: _, ...target }) => target);
  return {
    summary: { ...rest, targets },
    rows: [...results]
      .sort((a, b) => a.index - b.index || a.trial - b.trial || a.target.localeCompare(b.target))
      .map(({ run_id: _, project: __, started_at: ___, latency_ms, eval_version, ...row }) => ({
        ...row,
        answered: latency_ms !== null,
        error: row.error?.replace(/127\.0\.0\.1:\d+/, 'host') ?? null,
      })),
  };
}

describe('a judge that must be calibrated, on three drivers', () => {
  const few = rows.slice(0, 40);
  const gated = { require_calibration: { min_kappa: 0.2, max_age_days: 30 }, thresholds: { min_score: 0 } };
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  /** Of the judge of `config`: passes so many of 200 good answers, fails so many of 200 bad ones. */
  const evidence = (passesGood: number, failsBad: number, ageDays = 2.5): CalibrationEvidence => ({
    ...EVIDENCE,
    judge_hash: evalJudgeHash(parseEval(config('http://127.0.0.1/', 'same', gated))) ?? '',
    date: daysAgo(ageDays),
    metric: 'row',
    confusion: {
      labels: ['fail', 'pass'],
      counts: [
        [failsBad, 200 - failsBad],
        [200 - passesGood, passesGood],
      ],
    },
  });

  it.each([
    // 180 of 200 and 180 of 200: κ .8.
    { name: 'calibrated: decided by the rest', of: evidence(180, 180), gate: 'pass' },
    // Passes at most 3 of 10 good answers, and yet passes most of these.
    { name: 'drifted: an error', of: evidence(60, 190), gate: 'error' },
  ])('$name, by the same bytes', async ({ of, gate }) => {
    const local = comparable(await locally(gated, few, target.url, of));
    const dev = comparable(await onDevStack(gated, few, target.url, of));
    const hand = comparable(await byHand(gated, few, target.url, of));
    expect(local.summary).toMatchObject({ gate, calibration: { age_days: 2, labels: 400 } });
    expect(dev).toEqual(local);
    expect(hand).toEqual(dev);
    expect(JSON.stringify(dev.summary.decision)).toBe(JSON.stringify(local.summary.decision));
  });

  it.each([
    { name: 'never calibrated', of: null, says: 'never compared with human labels' },
    { name: 'stale', of: evidence(180, 180, 31.5), says: '31 days is above 30 days' },
    { name: 'of little agreement', of: evidence(110, 110), says: '0.1 is below 0.2' },
    {
      name: 'calibrated for another rubric',
      of: { ...evidence(180, 180), judge_hash: EVIDENCE.judge_hash },
      says: 'never compared with human labels',
    },
  ])('$name: refused before anything is asked, in the same words', async ({ of, says }) => {
    const refusal = await locally(gated, few, target.url, of).catch((error: Error) => error.message);
    expect(refusal).toContain(says);
    const project = await cloud.project();
    await cloud.putDataset(project, 'same', few);
    await cloud.putEval(project, config(target.url, 'same', gated));
    if (of !== null) await cloud.expect(200, 'POST', `/api/projects/${project}/calibrations`, of);
    const { gate } = await cloud.run(project);
    expect(gate.gate).toBe('error');
    // The local runner knows the file and the line, too.
    const [, told] = /(field require_calibration.*)$/s.exec(String(refusal)) ?? [];
    expect(gate.runs[0]?.message).toBe(`the run could not start: ${told}`);
    expect(gate.progress.done).toBe(0);
  });

  it('calibrated in one project is not in another', async () => {
    const project = await cloud.project();
    const other = await cloud.project();
    for (const id of [project, other]) {
      await cloud.putDataset(id, 'same', few);
      await cloud.putEval(id, config(target.url, 'same', gated));
    }
    await cloud.expect(200, 'POST', `/api/projects/${project}/calibrations`, evidence(180, 180));
    expect((await cloud.run(project)).gate.gate).toBe('pass');
    expect((await cloud.run(other)).gate.gate).toBe('error');
  });
});

describe('one dataset on three drivers', () => {
  it('gives the same summary and the same rows for 200 rows', async () => {
    const local = comparable(await locally({}, rows, target.url));
    const dev = comparable(await onDevStack({}, rows, target.url));
    const hand = comparable(await byHand({}, rows, target.url));
    expect(local.summary.counts.results).toBe(ROWS);
    expect(local.summary.counts.target_error).toBe(10); // every 20th answers 500
    expect(dev.summary).toEqual(local.summary);
    expect(dev.rows).toEqual(local.rows);
    expect(hand).toEqual(dev);
    // The decision is the same bytes, not only the same values.
    expect(JSON.stringify(dev.summary.decision)).toBe(JSON.stringify(local.summary.decision));
  });

  it('also with a sample, trials and two targets', async () => {
    const more = {
      sample_size: 30,
      trials: 2,
      targets: ['a', 'b'].map((id) => ({
        id,
        type: 'http',
        url: target.url,
        body_template: { question: '{{input}}' },
        response_path: 'answer',
        retries: 0,
      })),
    };
    const local = comparable(await locally(more, rows, target.url));
    const dev = comparable(await onDevStack(more, rows, target.url));
    expect(local.rows).toHaveLength(30 * 2 * 2);
    expect(dev).toEqual(local);
    expect(comparable(await byHand(more, rows, target.url))).toEqual(dev);
  });

  it('also when intervals decide', async () => {
    const more = {
      sample_size: 40,
      trials: 2,
      decide_by: 'interval',
      margin: 0.05,
      on_inconclusive: 'error',
      thresholds: { min_score: 0.5, pass_rate: 0.4, metric_floors: { correctness: 0.4, relevance: 0.4 } },
    };
    const local = comparable(await locally(more, rows, target.url));
    const dev = comparable(await onDevStack(more, rows, target.url));
    expect(dev).toEqual(local);
    expect(comparable(await byHand(more, rows, target.url))).toEqual(dev);
    expect(JSON.stringify(dev.summary.decision)).toBe(JSON.stringify(local.summary.decision));
    expect(local.summary.statistics).toMatchObject({
      rows: 40,
      floors: [{ metric: 'correctness' }, { metric: 'relevance' }],
    });
  });

  it('also when columns have other names: they are read at the upload, and not once more', async () => {
    const renamed = rows
      .slice(0, 12)
      .map(({ input, expected, ...row }) => ({ ...row, ask: input, expected: 'no', truth: expected }));
    const more = { columns: { input: 'ask', expected: 'truth' }, sample_size: 9 };
    const local = comparable(await locally(more, renamed, target.url));
    const dev = comparable(await onDevStack(more, renamed, target.url));
    expect(local.summary.counts.rows).toBe(9);
    expect(dev).toEqual(local);
  });

  it('also when the target is down: eight rows are asked, all are accounted for', async () => {
    const dead = 'http://127.0.0.1:9/answer';
    // One at a time: otherwise the local runner has a few more in flight when the eighth fails.
    const more = { concurrency: 1 };
    const local = comparable(await locally(more, rows, dead));
    const dev = comparable(await onDevStack(more, rows, dead));
    expect(local.summary.gate).toBe('error');
    expect(local.summary.skipped_by_cause).toEqual({ 'target down': ROWS - 8 });
    expect(dev).toEqual(local);
    expect(comparable(await byHand(more, rows, dead))).toEqual(dev);
  });
});
