import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEV_TABLE } from '../../src/dev/dev-ports.ts';
import type { LocalFunction } from '../../src/dev/lambda-host.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubReply, type StubTarget, startStubTarget } from './support/stub-target.ts';

const STATE_LIMIT = 262_144;
const ITEM_LIMIT = 409_600;

let behave: (question: string, call: number, path: string) => StubReply;
/** Largest event or answer of a function of the workflow. */
let largestPayload = 0;
let target: StubTarget;
let cloud: Cloud;
beforeAll(async () => {
  target = await startStubTarget((question, call, path) => behave(question, call, path));
  cloud = await Cloud.start({
    limits: { maxBatches: 2, maxInFlight: 4 },
    wrapFunctions: (functions) => {
      const weighed = Object.entries(functions).map(([name, fn]) => [name, name === 'api' ? fn : weigh(fn)]);
      return Object.fromEntries(weighed) as typeof functions;
    },
  });
});
afterAll(async () => {
  await cloud.stop();
  await target.close();
});
beforeEach(() => {
  largestPayload = 0;
  target.reset();
  behave = (question) => ({ answer: rightAnswer(question) });
});

function weigh({ handler, timeoutMs }: LocalFunction): LocalFunction {
  return {
    timeoutMs,
    handler: async (event, context) => {
      const result = await handler(event, context);
      for (const payload of [event, result]) {
        largestPayload = Math.max(largestPayload, Buffer.byteLength(JSON.stringify(payload ?? null)));
      }
      return result;
    },
  };
}

async function prepared(rows: readonly object[], more: Record<string, unknown> = {}): Promise<string> {
  const project = await cloud.project();
  await cloud.putDataset(project, 'faq', rows);
  await cloud.putEval(project, qaEval(target.url, more));
  return project;
}

async function largestItem(): Promise<number> {
  const client = new DynamoDBClient({
    endpoint: cloud.stack.dynamoUrl,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  let largest = 0;
  for await (const page of paginateScan({ client }, { TableName: DEV_TABLE })) {
    for (const item of page.Items ?? []) largest = Math.max(largest, Buffer.byteLength(JSON.stringify(item)));
  }
  client.destroy();
  return largest;
}

describe('large answers', () => {
  it('40 answers of 20,000 characters are kept whole, and state carries none of them', async () => {
    behave = (question) => ({ answer: `${rightAnswer(question)} ${'x'.repeat(20_000)}` });
    const project = await prepared(qaRows(40));
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('pass');
    const results = await cloud.results(runId);
    expect(results.filter(({ output }) => (output?.length ?? 0) > 20_000)).toHaveLength(40);
    expect(largestPayload).toBeLessThan(STATE_LIMIT / 8);
    expect(await largestItem()).toBeLessThan(ITEM_LIMIT / 4);
    // The API gives them whole, too.
    const page = await cloud.call('GET', `/api/datasets/runs/${runId}/results?limit=5`);
    expect(page.body.items.map(({ output }: { output: string }) => output.length > 20_000)).toEqual(
      Array(5).fill(true),
    );
  });

  it.each([300_000, 520_000, 1_000_000])('one of %i characters leaves the other rows alone', async (length) => {
    behave = (question) => ({
      answer: question === 'question 2' ? `${rightAnswer(question)} ${'é'.repeat(length)}` : rightAnswer(question),
    });
    const project = await prepared(qaRows(5));
    const { runId } = await cloud.run(project);
    const results = await cloud.results(runId);
    expect(results.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(results.filter(({ status }) => status === 'scored').length).toBeGreaterThanOrEqual(4);
    const large = results[2];
    if (large?.status === 'scored') expect(large.output?.length).toBeGreaterThan(length);
    else expect(large?.error).toMatch(/size|large|limit/);
    expect(largestPayload).toBeLessThan(STATE_LIMIT / 8);
    expect(await largestItem()).toBeLessThan(ITEM_LIMIT / 4);
  });

  it('2,000 rows of 500 bytes start and run: the workflow is told where they lie', async () => {
    const rows = qaRows(2_000).map((row) => ({ ...row, metadata: { filler: 'f'.repeat(400) } }));
    const project = await prepared(rows, { concurrency: 8 });
    const { gate } = await cloud.run(project);
    expect(gate).toMatchObject({ gate: 'pass', progress: { done: 2_000, total: 2_000 } });
    expect(largestPayload).toBeLessThan(STATE_LIMIT / 8);
  });

  it('answers with every kind of line break stay one line a row', async () => {
    const answers = ['a\nb', 'c\r\nd', 'e\u2028f', 'g\u0085h', 'i\t"j"'];
    behave = (question) => ({ answer: answers[Number(question.split(' ')[1])] ?? '' });
    const { runId } = await cloud.run(await prepared(qaRows(5)));
    expect((await cloud.results(runId)).map(({ output }) => output)).toEqual(answers);
  });
});

describe('several runs at once', () => {
  it('two of the same eval keep their answers apart', async () => {
    behave = (_, __, path) => ({ answer: path === '/a' ? 'A' : 'B', delayMs: 2 });
    const project = await prepared(qaRows(30), targetAt('/a'));
    const first = await cloud.trigger(project);
    await cloud.putEval(project, qaEval(target.url, targetAt('/b')));
    const second = await cloud.trigger(project);
    for (const [started, answer] of [[first, 'A'] as const, [second, 'B'] as const]) {
      await cloud.finalGate(project, started);
      const results = await cloud.results(started.runs[0]?.run_id ?? '');
      expect(results.map(({ output }) => output)).toEqual(Array(30).fill(answer));
    }
  });

  it('two evals whose long names differ at the end only both start', async () => {
    const project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(3));
    const name = 'customer-support-regression-suite-for-the-european-market-prod';
    for (const end of ['a', 'b']) await cloud.putEval(project, { ...qaEval(target.url), name: name + end });
    const { gate, started } = await cloud.run(project);
    expect(new Set(started.runs.map(({ run_id }) => run_id)).size).toBe(2);
    expect(started.runs.every(({ run_id }) => /^[0-9A-Za-z_-]{1,80}$/.test(run_id))).toBe(true);
    expect(gate.gate).toBe('pass');
  });

  function targetAt(path: string) {
    const url = target.url + path;
    return {
      targets: [{ type: 'http', url, body_template: { question: '{{input}}' }, response_path: 'answer', retries: 0 }],
      thresholds: { pass_rate: 0 },
    };
  }
});

describe('concurrency', () => {
  it("never opens more requests than the eval's concurrency, over all batches", async () => {
    behave = (question) => ({ answer: rightAnswer(question), delayMs: 5 });
    const project = await prepared(qaRows(100), { concurrency: 4 });
    await cloud.run(project);
    expect(target.mostOpen()).toBeLessThanOrEqual(4);
    expect(target.mostOpen()).toBeGreaterThan(1);
  });
});

describe.skipIf(process.env.ASSAY_SLOW !== '1')('20,000 rows (ASSAY_SLOW=1)', () => {
  it('counts are exact and memory stays bounded', { timeout: 300_000 }, async () => {
    behave = (question) => ({ answer: rightAnswer(question) });
    const rows = 20_000;
    const project = await prepared(qaRows(rows), { concurrency: 8 });
    let peakMb = 0;
    const watch = setInterval(() => {
      peakMb = Math.max(peakMb, process.memoryUsage().rss / 1e6);
    }, 100);
    const startedMs = performance.now();
    const started = await cloud.trigger(project);
    for (;;) {
      const gate = await cloud.gate(project, started);
      if (gate.gate !== 'pending') break;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    clearInterval(watch);
    const seconds = (performance.now() - startedMs) / 1_000;
    console.log(
      `20,000 rows: ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s, peak ${Math.round(peakMb)} MB`,
    );
    const runId = started.runs[0]?.run_id ?? '';
    expect((await cloud.summary(project, runId)).counts).toMatchObject({
      rows,
      passed: rows,
      results: rows,
      skipped: 0,
    });
    expect(target.total()).toBe(rows);
    expect((await cloud.results(runId)).map(({ index }) => index)).toEqual(Array.from({ length: rows }, (_, n) => n));
    expect(peakMb).toBeLessThan(1_500);
  });
});
