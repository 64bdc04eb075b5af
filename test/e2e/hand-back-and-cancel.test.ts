import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LocalFunction } from '../../src/dev/lambda-host.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const ROWS = 40;
const LIMITS = { maxBatches: 2, maxInFlight: 2 };

/** Rows that one Lambda may start before its time runs out. */
let rowsALambda = Number.POSITIVE_INFINITY;
/** Questions from this number on are answered when `until` resolves. */
let hold: { from: number; until: Promise<void> } | null = null;
let target: StubTarget;
let cloud: Cloud;
beforeAll(async () => {
  target = await startStubTarget((question) => ({
    answer: rightAnswer(question),
    ...(hold !== null && Number(question.split(' ')[1]) >= hold.from ? { after: hold.until } : {}),
  }));
  cloud = await Cloud.start({
    limits: LIMITS,
    wrapPorts: (ports) => ({ ...ports, clock: hurried(ports.clock) }),
    wrapFunctions: (functions) => ({ ...functions, 'evaluate-rows': withShortLife(functions['evaluate-rows']) }),
  });
});
afterAll(async () => {
  await cloud.stop();
  await target.close();
});
beforeEach(() => {
  rowsALambda = Number.POSITIVE_INFINITY;
  hold = null;
  target.reset();
});

/** Looks every few seconds become looks every few hundredths of one. */
function hurried(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs() * 100,
    sleep: (ms, signal) => clock.sleep(ms / 100, signal),
  };
}

/** Time is looked at before each row; after `rowsALambda` looks there is none left. */
function withShortLife({ handler, timeoutMs }: LocalFunction): LocalFunction {
  return {
    timeoutMs,
    handler: (event, context) => {
      let looks = 0;
      const getRemainingTimeInMillis = () => {
        looks += 1;
        // The first look is the framework's, at the start.
        return looks > rowsALambda + 1 ? 0 : 900_000;
      };
      return handler(event, { ...context, getRemainingTimeInMillis });
    },
  };
}

async function prepared(): Promise<string> {
  const project = await cloud.project();
  await cloud.putDataset(project, 'faq', qaRows(ROWS));
  await cloud.putEval(project, qaEval(target.url, { concurrency: 4 }));
  return project;
}

describe('a Lambda whose time runs out', () => {
  it.each([2, 7])('hands back what it has not started, after %i rows: nothing is asked twice', async (rows) => {
    rowsALambda = rows;
    const project = await prepared();
    const { gate, runId } = await cloud.run(project);
    expect(gate).toMatchObject({ gate: 'pass', progress: { done: ROWS, total: ROWS } });
    expect(target.total()).toBe(ROWS);
    expect((await cloud.results(runId)).map(({ index }) => index)).toEqual(Array.from({ length: ROWS }, (_, n) => n));
    expect(await cloud.stack.ports.registry.getCounters(runId)).toMatchObject({ done: ROWS, scored: ROWS });
    expect((await cloud.summary(project, runId)).counts).toMatchObject({ passed: ROWS, results: ROWS });
  });

  it('that does nothing at all ends the run with an error instead of asking for ever', async () => {
    rowsALambda = 0;
    const { gate } = await cloud.run(await prepared());
    expect(gate.gate).toBe('error');
    expect(gate.reasons.join()).toContain('BatchStuckError');
    expect(target.total()).toBe(0);
  });
});

describe('a run that is cancelled', () => {
  it.each([2, 25])('from row %i on: ends, is no pass, accounts for every row', async (from) => {
    let release = () => {};
    hold = {
      from,
      until: new Promise((resolve) => {
        release = resolve;
      }),
    };
    const project = await prepared();
    const started = await cloud.trigger(project);
    const runId = started.runs[0]?.run_id ?? '';
    while (!target.calls.has(`question ${from}`)) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await cloud.call('DELETE', `/api/runs/${runId}`)).toMatchObject({ status: 202 });
    // Long enough, by the hurried clock, that the batch looks up.
    await new Promise((resolve) => setTimeout(resolve, 80));
    release();
    const gate = await cloud.finalGate(project, started);
    await cloud.stack.workflow.settled(runId);
    expect(gate).toMatchObject({
      gate: 'error',
      runs: [{ status: 'cancelled' }],
      progress: { done: ROWS, total: ROWS },
    });
    const results = await cloud.results(runId);
    expect(results.map(({ index }) => index)).toEqual(Array.from({ length: ROWS }, (_, n) => n));
    const skipped = results.filter(({ status }) => status === 'skipped');
    expect(skipped.length).toBeGreaterThan(0);
    expect(new Set(skipped.map(({ cause }) => cause))).toEqual(new Set(['cancelled']));
    expect((await cloud.summary(project, runId)).counts.results).toBe(ROWS);
    // Asked again, it says the same; a run with a verdict cannot be cancelled.
    expect(await cloud.call('DELETE', `/api/runs/${runId}`)).toMatchObject({ body: { status: 'cancelled' } });
  });
});

it('batches smaller than the probe ask nothing again that the probe has asked', async () => {
  const project = await cloud.project();
  await cloud.putDataset(project, 'faq', qaRows(9));
  // 200 requests a batch at most: three rows.
  await cloud.putEval(project, qaEval(target.url, { concurrency: 4, trials: 60 }));
  const { gate, runId } = await cloud.run(project);
  expect(gate).toMatchObject({ gate: 'pass', progress: { done: 540, total: 540 } });
  expect(target.total()).toBe(540);
  expect(await cloud.results(runId)).toHaveLength(540);
});

/** Questions that the target holds until `release` is called. */
function holdAll(): () => void {
  let release = () => {};
  hold = {
    from: 0,
    until: new Promise((resolve) => {
      release = resolve;
    }),
  };
  return release;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('rows in flight', () => {
  it('are cut off when the run is cancelled: it ends though its target never answers', async () => {
    const release = holdAll();
    const project = await prepared();
    const started = await cloud.trigger(project);
    const runId = started.runs[0]?.run_id ?? '';
    await until(() => target.total() === LIMITS.maxInFlight);
    await cloud.call('DELETE', `/api/runs/${runId}`);
    const gate = await cloud.finalGate(project, started);
    await cloud.stack.workflow.settled(runId);
    release();
    expect(gate).toMatchObject({ gate: 'error', runs: [{ status: 'cancelled' }] });
    // Nothing was asked after the first two.
    expect(target.total()).toBe(LIMITS.maxInFlight);
    const results = await cloud.results(runId);
    expect(results.map(({ status, cause }) => `${status} ${cause}`)).toEqual(Array(ROWS).fill('skipped cancelled'));
    const begun = results.filter(({ attempts }) => attempts > 0);
    expect(begun.map(({ index }) => index)).toEqual([0, 1]);
    expect(begun.map(({ error }) => error)).toEqual(
      Array(2).fill('cut off in flight (cancelled): what its last request cost is not known'),
    );
    const { counts, cost } = await cloud.summary(project, runId);
    expect(counts).toMatchObject({ results: ROWS, skipped: ROWS, target_error: 0 });
    expect(cost.total_usd).toBe(0);
  });

  it('are cut off half a minute after the time budget', async () => {
    const release = holdAll();
    const project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(ROWS));
    // Time passes a hundred times as fast.
    await cloud.putEval(project, qaEval(target.url, { concurrency: 4, time_budget_s: 20 }));
    const { gate, runId } = await cloud.run(project);
    release();
    expect(gate.gate).toBe('error');
    expect(target.total()).toBe(LIMITS.maxInFlight);
    const results = await cloud.results(runId);
    expect(results.map(({ status, cause }) => `${status} ${cause}`)).toEqual(Array(ROWS).fill('skipped time budget'));
    expect(results.filter(({ error }) => error?.startsWith('cut off in flight (time budget)') === true)).toHaveLength(
      2,
    );
    expect((await cloud.summary(project, runId)).stopped?.why).toBe('time budget reached');
  });
});

describe('two runs of one eval at once', () => {
  it('one cancelled, one finishing: each has its own truth', async () => {
    const release = holdAll();
    const project = await prepared();
    const [first, second] = [await cloud.trigger(project), await cloud.trigger(project)];
    const [cancelled, finishing] = [first.runs[0]?.run_id ?? '', second.runs[0]?.run_id ?? ''];
    expect(cancelled).not.toBe(finishing);
    // Both have rows in flight when one of them is cancelled.
    await until(() => target.total() === 2 * LIMITS.maxInFlight);
    await cloud.call('DELETE', `/api/runs/${cancelled}`);
    expect((await cloud.finalGate(project, first)).runs[0]?.status).toBe('cancelled');
    expect((await cloud.gate(project, second)).gate).toBe('pending');
    release();
    const gates = [await cloud.finalGate(project, first), await cloud.finalGate(project, second)];
    await cloud.stack.workflow.settled(cancelled);
    await cloud.stack.workflow.settled(finishing);

    expect(gates.map(({ gate }) => gate)).toEqual(['error', 'pass']);
    expect(gates.map(({ runs }) => runs.map(({ run_id, status }) => [run_id, status]))).toEqual([
      [[cancelled, 'cancelled']],
      [[finishing, 'passed']],
    ]);
    const statuses = async (runId: string) => new Set((await cloud.results(runId)).map(({ status }) => status));
    expect(await statuses(cancelled)).toEqual(new Set(['skipped']));
    expect(await statuses(finishing)).toEqual(new Set(['scored']));
    const { registry } = cloud.stack.ports;
    expect(await registry.getCounters(cancelled)).toMatchObject({ done: ROWS, skipped: ROWS, scored: 0 });
    expect(await registry.getCounters(finishing)).toMatchObject({ done: ROWS, skipped: 0, scored: ROWS });
    expect((await cloud.summary(project, cancelled)).counts).toMatchObject({ results: ROWS, skipped: ROWS });
    expect((await cloud.summary(project, finishing)).counts).toMatchObject({ results: ROWS, passed: ROWS });
    // The finished one is what later runs are compared with.
    const { runId } = await cloud.run(project);
    expect((await cloud.summary(project, runId)).baseline?.run_id).toBe(finishing);
  });
});
