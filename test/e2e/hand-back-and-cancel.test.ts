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

/** Looks every 5 s become looks every 50 ms. */
function hurried(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs() * 100,
    sleep: (ms, signal) => clock.sleep(ms, signal),
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
