import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { Cloud, type GateAnswer, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type Fault, Faults } from './support/faults.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const ROWS = 30;
/** Three batches at once, ten rows each; the probe has eight. */
const LIMITS = { maxBatches: 3, maxInFlight: 2 };
const BATCH = 10;

const faults = new Faults();
let behave: (question: string, call: number) => ReturnType<Parameters<typeof startStubTarget>[0]>;
let target: StubTarget;
let cloud: Cloud;
beforeAll(async () => {
  target = await startStubTarget((question, call) => behave(question, call));
  cloud = await Cloud.start({ limits: LIMITS, wrapPorts: faults.wrapPorts, wrapFunctions: faults.wrapFunctions });
});
afterAll(async () => {
  await cloud.stop();
  await target.close();
});
beforeEach(() => {
  faults.disarm();
  target.reset();
  behave = (question) => ({ answer: rightAnswer(question) });
});

async function prepared(more: Record<string, unknown> = {}, rows = ROWS): Promise<string> {
  const project = await cloud.project();
  await cloud.putDataset(project, 'faq', qaRows(rows));
  await cloud.putEval(project, qaEval(target.url, { concurrency: 6, ...more }));
  return project;
}

/** Every row once, whatever happened on the way. */
function expectEachOnce(results: readonly RowResult[], rows = ROWS): void {
  expect(results.map(({ index }) => index)).toEqual(Array.from({ length: rows }, (_, index) => index));
}

/** Questions asked more often than once. */
function repeated(): number {
  return target.total() - target.calls.size;
}

async function expectWholePass(project: string, gate: GateAnswer, runId: string): Promise<void> {
  expect(gate).toMatchObject({ gate: 'pass', progress: { done: ROWS, total: ROWS } });
  const summary = await cloud.summary(project, runId);
  expect(summary.counts).toMatchObject({ rows: ROWS, passed: ROWS, results: ROWS, scored: ROWS, skipped: 0 });
  expectEachOnce(await cloud.results(runId));
}

const HOPS: readonly { at: string; asksAgain: boolean }[] = [
  { at: 'prepare-run', asksAgain: false },
  { at: 'prepare-run registry.getRun', asksAgain: false },
  { at: 'prepare-run registry.getEval', asksAgain: false },
  { at: 'prepare-run datasets.read', asksAgain: false },
  { at: 'prepare-run runs.write rows.jsonl', asksAgain: false },
  { at: 'prepare-run runs.write config.json', asksAgain: false },
  { at: 'prepare-run registry.updateRun', asksAgain: false },
  { at: 'prepare-run runs.readLines rows.jsonl', asksAgain: false },
  { at: 'evaluate-rows', asksAgain: false },
  { at: 'evaluate-rows runs.read config.json', asksAgain: false },
  { at: 'evaluate-rows runs.readLines rows.jsonl', asksAgain: false },
  { at: 'evaluate-rows parts.read', asksAgain: false },
  { at: 'evaluate-rows registry.getCounters', asksAgain: false },
  // Answers that no part holds yet are lost with their Lambda.
  { at: 'evaluate-rows parts.write', asksAgain: true },
  { at: 'evaluate-rows rowIndex.put', asksAgain: false },
  { at: 'evaluate-rows registry.putBatchCounters', asksAgain: false },
  { at: 'aggregate-run', asksAgain: false },
  { at: 'aggregate-run runs.read config.json', asksAgain: false },
  { at: 'aggregate-run runs.write outcomes.jsonl.gz', asksAgain: false },
  { at: 'aggregate-run runs.write summary.json', asksAgain: false },
  { at: 'aggregate-run runs.write report.html', asksAgain: false },
  { at: 'aggregate-run runs.write junit.xml', asksAgain: false },
  { at: 'aggregate-run registry.updateRun', asksAgain: false },
];

describe('a hop that fails twice', () => {
  const cases: (Fault & { asksAgain: boolean })[] = HOPS.flatMap(({ at, asksAgain }) => [
    { at, when: 'before' as const, times: 2, asksAgain },
    // A read that was done and is not learned of is a read that failed.
    ...(/\.(get|read)/.test(at) ? [] : [{ at, when: 'after' as const, times: 2, asksAgain: false }]),
  ]);
  it.each(cases)('$at, $when it is done: every row counts once', async (fault) => {
    const project = await prepared();
    faults.arm(fault);
    const { gate, runId } = await cloud.run(project);
    // The last write of all leaves a run that is decided: its repetition has nothing to write.
    expect(faults.happened).toBe(fault.at === 'aggregate-run registry.updateRun' && fault.when === 'after' ? 1 : 2);
    await expectWholePass(project, gate, runId);
    expect(repeated()).toBeLessThanOrEqual(fault.asksAgain ? 2 * BATCH : 0);
  });
});

describe('a hop that fails for good', () => {
  it.each(['prepare-run', 'evaluate-rows', 'evaluate-rows parts.write', 'aggregate-run runs.write summary.json'])(
    '%s: the gate is an error with its cause, and a redrive ends the run as if nothing had been',
    async (at) => {
      const project = await prepared();
      faults.arm({ at, when: 'before', times: Number.POSITIVE_INFINITY });
      const { gate, runId, started } = await cloud.run(project);
      expect(gate).toMatchObject({ gate: 'error', runs: [{ status: 'error', attempt: 1 }] });
      expect(gate.reasons.join()).toContain('the workflow failed: StorageError');
      const askedBefore = target.total();

      faults.disarm();
      await cloud.stack.workflow.redrive(runId);
      await cloud.stack.workflow.settled(runId);
      const after = await cloud.finalGate(project, started);
      await expectWholePass(project, after, runId);
      expect(after.runs[0]?.attempt).toBe(2);
      expect((await cloud.stack.ports.registry.getRun(runId))?.earlier).toMatchObject([
        { attempt: 1, status: 'error' },
      ]);
      if (at.startsWith('aggregate-run')) expect(target.total()).toBe(askedBefore);
    },
  );

  it('one batch of the Map: a redrive asks that batch and no other', async () => {
    const project = await prepared();
    const broken = new Set(['question 20']);
    const restore = breakBatchOf(broken);
    const { gate, runId, started } = await cloud.run(project);
    expect(gate.gate).toBe('error');
    const before = new Map(target.calls);
    restore();
    await cloud.stack.workflow.redrive(runId);
    await cloud.stack.workflow.settled(runId);
    await expectWholePass(project, await cloud.finalGate(project, started), runId);
    const again = [...target.calls].filter(([question, count]) => count > (before.get(question) ?? 0));
    const finished = again.filter(([question]) => Number(question.split(' ')[1]) < 8);
    expect(finished).toEqual([]); // the probe's rows and those of batches that had ended stay
  });

  it('fail-run too: the sweep closes the run', async () => {
    const project = await prepared();
    const started = await cloud.trigger(project);
    const [runId = ''] = started.runs.map(({ run_id }) => run_id);
    faults.arm({ at: 'fail-run', when: 'before', times: 3 });
    await cloud.stack.workflow.stop(runId, 'by hand');
    await cloud.stack.workflow.settled(runId);
    expect((await cloud.gate(project, started)).gate).toBe('pending');
    expect(await cloud.stack.host.deliver('sweep-runs', {})).toBe(true);
    const gate = await cloud.gate(project, started);
    expect(gate.gate).toBe('error');
    expect(gate.reasons.join()).toContain('aborted');
  });
});

/** evaluate-rows throws for any batch that holds one of these questions. */
function breakBatchOf(questions: ReadonlySet<string>): () => void {
  const numbers = [...questions].map((question) => Number(question.split(' ')[1]));
  faults.armWhen((label, args) => {
    const results = args[2] as readonly RowResult[] | undefined;
    return label === 'evaluate-rows parts.write' && (results ?? []).some(({ index }) => numbers.includes(index));
  });
  return () => faults.disarm();
}

describe('a webhook call that fails on its way', () => {
  const hops = ['rememberDelivery', 'createRun', 'createGateRun', 'updateRun', 'getGateRun'];
  it.each(
    hops.flatMap((hop) => [
      { hop, when: 'before' as const },
      { hop, when: 'after' as const },
    ]),
  )('$hop, $when it is done: sent again with its key it is one run, asked once', async ({ hop, when }) => {
    const project = await prepared();
    faults.arm({ at: `api registry.${hop}`, when, times: 1 });
    const headers = { 'x-webhook-secret': cloud.secret(project), 'idempotency-key': 'k' };
    const refused = await cloud.call('POST', `/api/runs/webhook/${project}`, {}, headers);
    expect(refused.status).toBe(503);
    const started = await cloud.trigger(project, {}, { 'idempotency-key': 'k' });
    const runId = started.runs[0]?.run_id ?? '';
    const gate = await cloud.finalGate(project, started);
    await expectWholePass(project, gate, runId);
    expect(repeated()).toBe(0);
    const trend = await cloud.call('GET', `/api/evals/${project}.faq/trend`);
    expect(trend.body.items).toHaveLength(1);
  });
});

it('a step repeated after it had written an error as the verdict is no redrive', async () => {
  behave = () => ({ answer: 'no idea' });
  const project = await prepared({ thresholds: { pass_rate: 0.8, require_baseline: true } });
  faults.arm({ at: 'aggregate-run registry.updateRun', when: 'after', times: 1 });
  const { gate } = await cloud.run(project);
  expect(gate).toMatchObject({ gate: 'error', runs: [{ status: 'error', attempt: 1 }] });
});

it('a refusal repeated after it was written is no redrive', async () => {
  const project = await prepared();
  await cloud.expect(204, 'DELETE', `/api/datasets/${project}.faq`);
  faults.arm({ at: 'prepare-run registry.updateRun', when: 'after', times: 1 });
  const { gate } = await cloud.run(project);
  expect(gate).toMatchObject({ gate: 'error', runs: [{ status: 'error', attempt: 1 }] });
  expect(gate.reasons.join()).toContain('dataset');
  expect(target.total()).toBe(0);
});

describe('an execution that is aborted', () => {
  it('gives an error with the cause, and its results stay for a redrive', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    behave = (question, call) =>
      question === 'question 15' && call === 1
        ? { answer: rightAnswer(question), after: held }
        : { answer: rightAnswer(question) };
    const project = await prepared();
    const started = await cloud.trigger(project);
    const [runId = ''] = started.runs.map(({ run_id }) => run_id);
    while (!target.calls.has('question 15')) await new Promise((resolve) => setTimeout(resolve, 5));
    await cloud.stack.workflow.stop(runId, 'enough of it');
    await cloud.stack.workflow.settled(runId);
    const gate = await cloud.gate(project, started);
    expect(gate.gate).toBe('error');
    expect(gate.reasons.join()).toContain('the workflow was aborted: Cancelled: enough of it');

    release();
    await cloud.stack.workflow.redrive(runId);
    await cloud.stack.workflow.settled(runId);
    await expectWholePass(project, await cloud.finalGate(project, started), runId);
  });
});

describe('a batch delivered twice', () => {
  it('one after the other: the second asks nothing and counts nothing twice', async () => {
    const project = await prepared();
    const { gate, runId } = await cloud.run(project);
    await expectWholePass(project, gate, runId);
    const asked = target.total();
    await cloud.stack.ports.registry.updateRun(runId, ['passed'], { status: 'running' });
    const items = (await cloud.results(runId)).slice(0, BATCH);
    const lines = await cloud.stack.ports.runs(project).readLines(runId, 'rows.jsonl', { offset: 0, count: BATCH });
    const event = {
      run_id: runId,
      project,
      items: (lines ?? []).map((line) => JSON.parse(line)).map(({ index, offset }) => ({ index, offset })),
    };
    for (let delivery = 0; delivery < 2; delivery += 1) {
      const reply = await cloud.stack.host.invoke('evaluate-rows', JSON.stringify(event));
      expect(JSON.parse(reply.payload)).toMatchObject({ done: items.length, remaining: [] });
    }
    expect(target.total()).toBe(asked);
    expect(await cloud.stack.ports.registry.getCounters(runId)).toMatchObject({ done: ROWS, scored: ROWS });
    expectEachOnce(await cloud.results(runId));
  });

  it('at once: each row counts once, whichever delivery was first', async () => {
    faults.double = true;
    try {
      const project = await prepared();
      const { gate, runId } = await cloud.run(project);
      await expectWholePass(project, gate, runId);
      expect(await cloud.stack.ports.registry.getCounters(runId)).toMatchObject({ done: ROWS, scored: ROWS });
    } finally {
      faults.double = false;
    }
  });

  it('after the gate: ignored and counted', async () => {
    const project = await prepared();
    const { gate, runId, started } = await cloud.run(project);
    expect(gate.gate).toBe('pass');
    const before = await cloud.results(runId);
    const asked = target.total();
    const event = { run_id: runId, project, items: [{ index: 0, offset: 0 }] };
    const reply = await cloud.stack.host.invoke('evaluate-rows', JSON.stringify(event));
    expect(reply.failed).toBe(false);
    expect(target.total()).toBe(asked);
    expect(await cloud.results(runId)).toEqual(before);
    expect(await cloud.stack.ports.registry.getCounters(runId)).toMatchObject({ done: ROWS, late: 1 });
    expect(await cloud.gate(project, started)).toEqual(gate);
  });
});

describe('a target that is slow or fails now and then', () => {
  it('times out row by row, never the run', async () => {
    behave = (question) => {
      const isSlow = question === 'question 3' || question === 'question 21';
      return { answer: rightAnswer(question), ...(isSlow ? { delayMs: 1_600 } : {}) };
    };
    const url = target.url;
    const slow = qaEval(url, {
      targets: [
        {
          type: 'http',
          url,
          body_template: { question: '{{input}}' },
          response_path: 'answer',
          timeout_s: 1,
          retries: 0,
        },
      ],
    });
    const project = await prepared(slow);
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('pass'); // 28 of 30 passed, 0.8 is enough
    const summary = await cloud.summary(project, runId);
    expect(summary.counts).toMatchObject({ passed: 28, target_error: 2, results: ROWS });
    expect(summary.latency.timeouts).toBe(2);
  });
});

describe('the aggregate step', () => {
  it('three times over the same run gives the same summary', async () => {
    const project = await prepared();
    const { runId } = await cloud.run(project);
    const first = await cloud.summary(project, runId);
    for (let time = 0; time < 3; time += 1) {
      await cloud.stack.ports.registry.updateRun(runId, ['passed'], { status: 'running' });
      const reply = await cloud.stack.host.invoke(
        'aggregate-run',
        JSON.stringify({ run_id: runId, project, stop: null }),
      );
      expect(JSON.parse(reply.payload)).toMatchObject({ run_id: runId, status: 'passed', gate: 'pass' });
      const { finished_at: _, ...again } = await cloud.summary(project, runId);
      const { finished_at: __, ...expected } = first;
      expect(again).toEqual(expected);
    }
  });
});
