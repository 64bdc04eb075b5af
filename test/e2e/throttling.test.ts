import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevPorts } from '../../src/dev/dev-ports.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { RateLimit } from './support/rate-limit.ts';
import { type ConverseReply, type StubConverse, startStubConverse } from './support/stub-converse.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';
import { startThrottlingProxy, type ThrottlingProxy } from './support/throttling-proxy.ts';

const ROWS = 30;
const MODEL = 'us.amazon.nova-2-lite-v1:0';

let target: StubTarget;
beforeAll(async () => {
  target = await startStubTarget((question) => ({ answer: rightAnswer(question) }));
});
afterAll(() => target.close());

/** The SDK waits about half a second after each. */
const REFUSALS = 3;

describe('S3 and DynamoDB refuse calls', () => {
  let cloud: Cloud;
  let s3: ThrottlingProxy;
  let dynamo: ThrottlingProxy;
  beforeAll(async () => {
    s3 = await startThrottlingProxy('s3', (call) => call % 2 === 0 && s3.refused() < REFUSALS);
    dynamo = await startThrottlingProxy('dynamodb', (call) => call % 5 === 0 && dynamo.refused() < REFUSALS);
    cloud = await Cloud.start({
      wrapPorts: (_, plain) => {
        s3.forwardTo(plain.s3Url);
        dynamo.forwardTo(plain.dynamoUrl);
        return createDevPorts({ ...plain, s3Url: s3.url, dynamoUrl: dynamo.url });
      },
    });
  });
  afterAll(async () => {
    await cloud.stop();
    await Promise.all([s3.close(), dynamo.close()]);
  });

  it('the run slows down and ends whole', async () => {
    target.reset();
    const project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(ROWS));
    await cloud.putEval(project, qaEval(target.url));
    const { gate, runId } = await cloud.run(project);
    expect(gate).toMatchObject({ gate: 'pass', progress: { done: ROWS, total: ROWS } });
    expect((await cloud.results(runId)).map(({ index }) => index)).toEqual(Array.from({ length: ROWS }, (_, n) => n));
    expect(target.total()).toBe(ROWS);
    expect(s3.refused()).toBe(REFUSALS);
    expect(dynamo.refused()).toBe(REFUSALS);
  });
});

describe('a Bedrock judge', () => {
  let judgeReply: (call: number) => ConverseReply = () => ({});
  let converse: StubConverse;
  let cloud: Cloud;
  beforeAll(async () => {
    converse = await startStubConverse((call) => judgeReply(call));
    cloud = await Cloud.start({ bedrock: { kind: 'endpoint', url: converse.url } });
  });
  afterAll(async () => {
    await cloud.stop();
    await converse.close();
  });

  async function judged(rows: number) {
    const project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(rows));
    await cloud.putEval(
      project,
      qaEval(target.url, {
        type: 'metrics',
        scorers: undefined,
        metrics: ['correctness'],
        thresholds: { min_score: 0.8 },
        judge: { model: MODEL },
        canaries: false,
      }),
    );
    const before = converse.total();
    const { gate, runId } = await cloud.run(project);
    return { gate, calls: converse.total() - before, summary: await cloud.summary(project, runId) };
  }

  it('throttled three times, then grading: no row is lost to it', async () => {
    judgeReply = (call) => (call <= 3 ? { error: { status: 429, name: 'ThrottlingException' } } : {});
    const { gate, summary, calls } = await judged(10);
    expect(gate.gate).toBe('pass');
    expect(summary.counts).toMatchObject({ scored: 10, judge_error: 0 });
    expect(calls).toBe(13);
    expect(summary.cost.judge_usd).toBeGreaterThan(0);
  });

  it('that may not be asked ends the run within its first rows, and blames the judge', async () => {
    judgeReply = () => ({ error: { status: 403, name: 'AccessDeniedException', message: 'no access to the model' } });
    const { gate, summary, calls } = await judged(100);
    expect(gate.gate).toBe('error');
    expect(gate.reasons.join()).toMatch(/judge/i);
    expect(gate.reasons.join()).toContain('access');
    expect(calls).toBeGreaterThanOrEqual(8);
    expect(calls).toBeLessThanOrEqual(11);
    expect(summary.counts).toMatchObject({ judge_error: 8, skipped: 92, results: 100 });
  });
});

describe('a target that takes few requests a second', () => {
  const ALL = 120;
  let cloud: Cloud;
  let limited: StubTarget;
  let limit: RateLimit;
  const inBatches: number[] = [];
  beforeAll(async () => {
    limited = await startStubTarget((question) =>
      limit.allow() ? { answer: rightAnswer(question) } : { status: 429, answer: 'slow down' },
    );
    cloud = await Cloud.start({
      limits: { maxBatches: 10, maxInFlight: 2 },
      onBatch: ({ done }) => inBatches.push(done),
    });
  });
  afterAll(async () => {
    await cloud.stop();
    await limited.close();
  });

  async function run(config: Record<string, unknown>) {
    inBatches.length = 0;
    const project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(ALL));
    const target = {
      type: 'http',
      url: limited.url,
      body_template: { question: '{{input}}' },
      response_path: 'answer',
    };
    await cloud.putEval(project, qaEval(limited.url, { concurrency: 20, targets: [target], ...config }));
    const { gate, runId } = await cloud.run(project);
    return { gate, runId, summary: await cloud.summary(project, runId), results: await cloud.results(runId) };
  }

  it('answers every row of a run whose many batches ask at once, hardly asked in vain', {
    timeout: 60_000,
  }, async () => {
    limit = new RateLimit(50);
    const { gate, summary, results, runId } = await run({});
    expect(gate.gate).toBe('pass');
    expect(summary.counts).toMatchObject({ rows: ALL, passed: ALL, target_error: 0, skipped: 0 });
    expect(inBatches.length).toBeGreaterThanOrEqual(10);
    expect(limit.allowed).toBe(ALL);
    expect(limit.refused).toBeGreaterThan(0);
    expect(limit.refused).toBeLessThan(ALL);
    expect(results.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(limit.allowed + limit.refused);
    expect(summary.warnings.join()).toMatch(/results?: throttled by the target/);
    // Later batches learnt of it from the run itself.
    expect(await cloud.stack.ports.registry.getRun(runId)).toMatchObject({ throttled: true });
  });

  it('that does not throttle leaves no trace of a pace', async () => {
    limit = new RateLimit(1_000_000, 1_000);
    const { summary, runId } = await run({});
    expect(summary.counts).toMatchObject({ passed: ALL });
    expect(summary.warnings.join()).not.toMatch(/throttled/);
    expect((await cloud.stack.ports.registry.getRun(runId))?.throttled).toBeUndefined();
  });
});

describe('a Lambda whose time runs out while rows wait for their turn', () => {
  it('hands them back, and each is answered once', { timeout: 60_000 }, async () => {
    const all = 40;
    const limit = new RateLimit(50, 2);
    const slow = await startStubTarget((question) =>
      limit.allow() ? { answer: rightAnswer(question) } : { status: 429, answer: 'slow down' },
    );
    let invocations = 0;
    const cloud = await Cloud.start({
      limits: { maxBatches: 1, maxInFlight: 5 },
      wrapFunctions: (functions) => {
        const { handler, timeoutMs } = functions['evaluate-rows'];
        const shortLived: typeof handler = (event, context) => {
          invocations += 1;
          const before = limit.allowed;
          // Three answers, then there is no time left.
          const getRemainingTimeInMillis = () => (limit.allowed - before < 3 ? 900_000 : 0);
          return handler(event, { ...context, getRemainingTimeInMillis });
        };
        return { ...functions, 'evaluate-rows': { handler: shortLived, timeoutMs } };
      },
    });
    try {
      const project = await cloud.project();
      await cloud.putDataset(project, 'faq', qaRows(all));
      const one = { type: 'http', url: slow.url, body_template: { question: '{{input}}' }, response_path: 'answer' };
      await cloud.putEval(project, qaEval(slow.url, { concurrency: 5, targets: [one] }));
      const { gate, runId } = await cloud.run(project);
      expect(gate).toMatchObject({ gate: 'pass', progress: { done: all, total: all } });
      expect(limit.allowed).toBe(all);
      expect((await cloud.results(runId)).map(({ index }) => index)).toEqual(Array.from({ length: all }, (_, n) => n));
      expect((await cloud.summary(project, runId)).counts).toMatchObject({
        passed: all,
        results: all,
        target_error: 0,
      });
      // 40 rows, at most 3 and those in flight by each.
      expect(invocations).toBeGreaterThan(4);
    } finally {
      await cloud.stop();
      await slow.close();
    }
  });
});

describe('a Bedrock model that takes few requests a second', () => {
  it('judges every answer of many batches', { timeout: 60_000 }, async () => {
    const limit = new RateLimit(50);
    const throttled = { error: { status: 429, name: 'ThrottlingException' } };
    const converse = await startStubConverse(() => (limit.allow() ? {} : throttled));
    const cloud = await Cloud.start({
      bedrock: { kind: 'endpoint', url: converse.url },
      limits: { maxBatches: 10, maxInFlight: 2 },
    });
    try {
      const project = await cloud.project();
      await cloud.putDataset(project, 'faq', qaRows(60));
      const judged = { type: 'metrics', scorers: undefined, metrics: ['correctness'], thresholds: { min_score: 0.8 } };
      const judge = { model: MODEL };
      await cloud.putEval(project, qaEval(target.url, { ...judged, judge, canaries: false, concurrency: 20 }));
      const { gate, runId } = await cloud.run(project);
      expect(gate.gate).toBe('pass');
      expect((await cloud.summary(project, runId)).counts).toMatchObject({ scored: 60, judge_error: 0 });
      expect(limit.allowed).toBe(60);
      expect(limit.refused).toBeGreaterThan(0);
      expect(limit.refused).toBeLessThan(60);
    } finally {
      await cloud.stop();
      await converse.close();
    }
  });
});

describe('no Bedrock on this machine', () => {
  it('is said before the first row is asked', async () => {
    const cloud = await Cloud.start();
    try {
      target.reset();
      const project = await cloud.project();
      await cloud.putDataset(project, 'faq', qaRows(3));
      await cloud.putEval(project, qaEval(target.url, { scorers: ['judge'], judge: { model: MODEL } }));
      const { gate } = await cloud.run(project);
      expect(gate.gate).toBe('error');
      expect(gate.reasons.join()).toMatch(/ASSAY_JUDGE_URL.*lexical/);
      expect(target.total()).toBe(0);
    } finally {
      await cloud.stop();
    }
  });
});
