import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { AgentCoreTarget } from '../../../src/adapters/aws/agentcore-target.ts';
import { AgentCoreTargetSchema } from '../../../src/core/schemas/target-config.ts';
import { describeTargetContract } from '../../contracts/target.ts';
import { makeRow } from '../../fixtures/make-row.ts';
import { type Answering, JsonStub, type StubReply } from '../json-stub.ts';
import { askRow, exception, TargetBench } from './target-bench.ts';

const ARN = 'arn:aws:bedrock-agentcore:us-west-2:111122223333:runtime/support_bot-a1b2c3d4e5';
const SESSION = 'x-amzn-bedrock-agentcore-runtime-session-id';
type Config = Partial<z.input<typeof AgentCoreTargetSchema>>;
const bench = TargetBench.use();

function build(answering: Answering, config: Config = {}): AgentCoreTarget {
  const parsed = AgentCoreTargetSchema.parse({ type: 'agentcore', agent_runtime_arn: ARN, ...config });
  return bench.keep(new AgentCoreTarget({ ...parsed, id: 'bot' }, bench.deps(answering, { KEY: 'canary-value' })));
}
const json = (body: unknown): StubReply => ({ status: 200, body });
const stream = (body: unknown, contentType = 'text/event-stream; charset=utf-8'): StubReply => ({
  status: 200,
  headers: { 'content-type': contentType },
  body,
});
const events = (...values: unknown[]) => stream(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(''));

describe('the call', () => {
  it('invokes the runtime in its own Region with the payload filled in', async () => {
    await askRow(
      build(() => json('"ok"'), { qualifier: 'canary' }),
      { input: { city: 'Berlin' } },
    );
    const [request] = bench.stub.requests;
    expect(request?.path).toBe(`/runtimes/${encodeURIComponent(ARN)}/invocations?qualifier=canary`);
    expect(request?.headers.authorization).toContain('/us-west-2/bedrock-agentcore/aws4_request');
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });
    expect(request?.body).toEqual({ prompt: { city: 'Berlin' } });
  });

  it('opens a session of its own for every request, named for row and trial', async () => {
    const target = build((_, number) => (number === 0 ? exception('ThrottlingException', 429) : json('"ok"')));
    await askRow(target, { id: 'Zoë/1?' });
    await askRow(target, { id: 'Zoë/1?' });
    await askRow(
      build(() => json('"ok"')),
      { id: 'Zoë/1?' },
    );
    const sessions = bench.stub.requests.map(({ headers }) => String(headers[SESSION]));
    expect(new Set(sessions).size).toBe(4);
    for (const session of sessions) expect(session).toMatch(/^assay-Zo-1--1-[0-9a-f]{32}$/);
  });
});

describe('an answer in JSON', () => {
  it('is read by path', async () => {
    const body = { result: { text: 'Hi' }, steps: [{ type: 'thought', content: 'hm' }], passages: ['p'] };
    const config = { response_path: 'result.text', trajectory_path: 'steps', contexts_path: 'passages' };
    expect(await askRow(build(() => json(body), config))).toMatchObject({
      status: 'answered',
      answer: { text: 'Hi', contexts: ['p'], trajectory: { steps: [{ type: 'thought', content: 'hm' }] } },
      cost: { status: 'not_metered' },
    });
  });

  it.each([
    { name: 'a JSON text', body: '"Hi"', text: 'Hi' },
    { name: 'an object', body: { b: 1, a: 'canary-value' }, text: '{"a":"[redacted]","b":1}' },
  ])('may be $name as a whole', async ({ body, text }) => {
    expect(await askRow(build(() => json(body)))).toMatchObject({ status: 'answered', answer: { text } });
  });

  it('may be plain text', async () => {
    expect(await askRow(build(() => stream('Hi there', 'text/plain')))).toMatchObject({ answer: { text: 'Hi there' } });
  });

  it('that is broken is a failure', async () => {
    const answer = await askRow(build(() => json('{"a":'), { response_path: 'a' }));
    expect(answer).toMatchObject({ status: 'failed', cause: 'not-json' });
  });
});

describe('an answer as a stream of events', () => {
  it('is the text of its events', async () => {
    expect(await askRow(build(() => events('It is ', '21', ' °C.')))).toMatchObject({
      answer: { text: 'It is 21 °C.' },
    });
  });

  it('comes in chunks that cut lines and characters anywhere', async () => {
    const bytes = Buffer.from('data: "Zoë says 21 °C"\r\n\r\n: ping\r\n\r\nevent: end\r\ndata: " 🚀"\r\n\r\n');
    const chunks = async function* () {
      for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
    };
    const answer = await askRow(build(() => stream(chunks())));
    expect(answer).toMatchObject({ answer: { text: 'Zoë says 21 °C 🚀' } });
  });

  it('is joined from the texts at its path, steps and tokens from their last event', async () => {
    const reply = events(
      { event: { messageStart: {} } },
      { event: { contentBlockDelta: { delta: { text: 'It is ' } } } },
      { event: { contentBlockDelta: { delta: { text: '21.' } } }, steps: [] },
      {
        steps: [{ type: 'answer', content: 'x' }],
        usage: { inputTokens: 1000, outputTokens: 100 },
        model: 'us.amazon.nova-lite-v1:0',
      },
    );
    const config = {
      response_path: 'event.contentBlockDelta.delta.text',
      trajectory_path: 'steps',
      usage_path: 'usage',
    };
    expect(await askRow(build(() => reply, config))).toMatchObject({
      status: 'answered',
      answer: { text: 'It is 21.', trajectory: { steps: [{ type: 'answer', content: 'x' }] } },
      usage: { input: 1000, output: 100 },
      cost: { status: 'metered', usd: (1000 * 0.06 + 100 * 0.24) / 1e6 },
    });
  });

  it('with an agent that threw has crashed, and what came before is kept', async () => {
    const crash = {
      error: 'boom canary-value',
      error_type: 'ValueError',
      message: 'An error occurred during streaming',
    };
    const answer = await askRow(build(() => events('It is ', crash)));
    expect(answer).toMatchObject({
      status: 'failed',
      cause: 'crashed',
      message: 'the agent crashed: ValueError: boom [redacted]',
    });
  });

  it.each([
    { name: 'no event', reply: stream(''), message: 'without an event' },
    { name: 'only comments', reply: stream(': ping\n\n: ping\n\n'), message: 'without an event' },
    {
      name: 'objects and no path',
      reply: events({ a: 1 }, { b: 1 }),
      message: '2 events ({a}, {b}): set response_path',
    },
    {
      name: 'no text at the path',
      reply: events({ a: 1 }),
      config: { response_path: 'b' },
      message: 'path "b" not found in any of 1 events ({a})',
    },
    {
      name: 'no steps',
      reply: events('x'),
      config: { trajectory_path: 's' },
      message: 'path "s" not found in any of 1 events',
    },
  ])('with $name is a failure that says so', async ({ reply, config, message }) => {
    const answer = await askRow(build(() => reply, config));
    expect(answer).toMatchObject({
      status: 'failed',
      cause: 'path-not-found',
      message: expect.stringContaining(message),
    });
  });

  it('that breaks off is tried again, and no half answer is taken', async () => {
    const half = async function* () {
      yield 'data: "It is "\n\n';
      throw new Error('gone');
    };
    const target = build((_, number) => (number === 0 ? stream(half()) : events('whole')));
    expect(await askRow(target, {})).toMatchObject({ status: 'answered', answer: { text: 'whole' }, attempts: 2 });
  });

  it('that never ends is a timeout', async () => {
    const endless = async function* () {
      yield 'data: "It is "\n\n';
      await new Promise(() => {});
    };
    const answer = await askRow(build(() => stream(endless()), { timeout_s: 0.1 }));
    expect(answer).toMatchObject({ status: 'failed', cause: 'timeout', latencyMs: 100, attempts: 1 });
  });

  it('longer than 10 MB is given up', async () => {
    const flood = async function* () {
      for (let chunk = 0; chunk < 11; chunk += 1) yield `data: "${'x'.repeat(1_000_000)}"\n\n`;
    };
    expect(await askRow(build(() => stream(flood())))).toMatchObject({ status: 'failed', cause: 'too-large' });
  });
});

describe('failures', () => {
  it.each([
    { reply: exception('RuntimeClientError', 424), cause: 'crashed', attempts: 1 },
    { reply: exception('RetryableConflictException', 409), cause: 'http-status', attempts: 3 },
    { reply: exception('ServiceQuotaExceededException', 402), cause: 'http-status', attempts: 1 },
    { reply: exception('AccessDeniedException', 403), cause: 'http-status', attempts: 1 },
    { reply: null, cause: 'connection', attempts: 3 },
  ])('$reply.body.message is a $cause failure after $attempts calls', async ({ reply, cause, attempts }) => {
    expect(await askRow(build(() => reply))).toMatchObject({ status: 'failed', cause, attempts });
  });
});

describeTargetContract('AgentCoreTarget', async () => {
  const stub = new JsonStub(({ body }) =>
    body.prompt === 'fail' ? exception('RuntimeClientError', 424) : events('fi', 'ne'),
  );
  const endpoint = await stub.listen();
  const parsed = AgentCoreTargetSchema.parse({ type: 'agentcore', agent_runtime_arn: ARN });
  const aws = { endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
  return {
    target: new AgentCoreTarget({ ...parsed, id: 'bot' }, { ...bench.deps(() => null), aws }),
    answers: { row: makeRow({ id: 'good' }), text: 'fine' },
    failing: makeRow({ id: 'bad', input: 'fail' }),
    dispose: () => stub.close(),
  };
});
