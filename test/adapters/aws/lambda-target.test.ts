import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { LambdaTarget } from '../../../src/adapters/aws/lambda-target.ts';
import { LambdaTargetSchema } from '../../../src/core/schemas/target-config.ts';
import { describeTargetContract } from '../../contracts/target.ts';
import { makeRow } from '../../fixtures/make-row.ts';
import { type Answering, JsonStub, type StubReply } from '../json-stub.ts';
import { askRow, exception, TargetBench } from './target-bench.ts';

const ARN = 'arn:aws:lambda:eu-west-1:111122223333:function:support-bot:live';
type Config = Partial<z.input<typeof LambdaTargetSchema>>;
const bench = TargetBench.use();

function build(answering: Answering, config: Config = {}): LambdaTarget {
  const parsed = LambdaTargetSchema.parse({ type: 'lambda', function_arn: ARN, response_path: 'answer', ...config });
  return bench.keep(new LambdaTarget({ ...parsed, id: 'bot' }, bench.deps(answering, { KEY: 'canary-value' })));
}
const returns = (body: unknown): StubReply => ({ status: 200, body });
const throws = (body: unknown, kind = 'Unhandled'): StubReply => ({
  status: 200,
  headers: { 'x-amz-function-error': kind },
  body,
});

describe('the call', () => {
  it('invokes the function in its own Region with the payload filled in', async () => {
    const payload_template = { question: '{{input}}', passages: '{{contexts}}', key: '{{secrets.KEY}}', n: 1 };
    await askRow(
      build(() => returns({ answer: 'ok' }), { payload_template }),
      { input: 'a "b"', contexts: ['c'] },
    );
    const [request] = bench.stub.requests;
    expect(request?.path).toBe(`/2015-03-31/functions/${encodeURIComponent(ARN)}/invocations`);
    expect(request?.headers.authorization).toContain('/eu-west-1/lambda/aws4_request');
    expect(request?.body).toEqual({ question: 'a "b"', passages: ['c'], key: 'canary-value', n: 1 });
  });

  it('sends nothing for a row that lacks what the payload needs', async () => {
    const target = build(() => returns({ answer: 'ok' }), { payload_template: { a: '{{input.city}}' } });
    expect(await askRow(target)).toMatchObject({ status: 'failed', cause: 'bad-request', attempts: 0 });
    expect(bench.stub.requests).toEqual([]);
  });
});

describe('the answer', () => {
  it('is taken by path, with contexts, steps and tokens, secrets redacted', async () => {
    const body = {
      answer: 'canary-value',
      docs: [{ text: 'p1' }, 'p2'],
      steps: [{ type: 'tool_call', tool_call: { name: 'search', arguments: { q: 1 } } }],
      usage: { input_tokens: 1000, output_tokens: 100 },
      model: 'us.amazon.nova-lite-v1:0',
    };
    const config = { contexts_path: 'docs', trajectory_path: 'steps', usage_path: 'usage' };
    expect(await askRow(build(() => returns(body), config))).toEqual({
      status: 'answered',
      answer: {
        text: '[redacted]',
        contexts: ['p1', 'p2'],
        trajectory: { steps: [{ type: 'tool_call', tool_call: { name: 'search', arguments: { q: 1 } } }] },
      },
      latencyMs: 0,
      attempts: 1,
      usage: { input: 1000, output: 100, cache_read: 0, cache_write: 0 },
      cost: { status: 'metered', usd: (1000 * 0.06 + 100 * 0.24) / 1e6 },
    });
  });

  it.each([
    { name: 'text', body: '"hello"', text: 'hello' },
    { name: 'a number', body: '7', text: '7' },
    { name: 'false', body: 'false', text: 'false' },
    { name: 'an object as canonical JSON', body: '{"b":1,"a":2}', text: '{"a":2,"b":1}' },
  ])('may be the whole return value: $name', async ({ body, text }) => {
    const answer = await askRow(build(() => returns(body), { response_path: '$' }));
    expect(answer).toMatchObject({ status: 'answered', answer: { text }, cost: { status: 'not_metered' } });
  });

  it.each([
    { name: 'null', body: 'null', config: { response_path: '$' }, cause: 'path-not-found' },
    { name: 'nothing', body: '', config: { response_path: '$' }, cause: 'not-json' },
    { name: 'something else', body: '{"reply":"x"}', config: {}, cause: 'path-not-found' },
    { name: 'JSON cut short', body: '{"answer":', config: {}, cause: 'not-json' },
    { name: 'no steps', body: '{"answer":"x"}', config: { trajectory_path: 'steps' }, cause: 'path-not-found' },
    {
      name: 'an agent that crashed',
      body: '{"answer":"x","run":{"steps":[],"error":"boom"}}',
      config: { trajectory_path: 'run' },
      cause: 'crashed',
    },
  ])('of a function that returns $name is a $cause failure', async ({ body, config, cause }) => {
    expect(await askRow(build(() => returns(body), config))).toMatchObject({ status: 'failed', cause });
  });

  it('of a megabyte comes through', async () => {
    const answer = await askRow(build(() => returns({ answer: 'x'.repeat(1_000_000) })));
    expect(answer.answer?.text).toHaveLength(1_000_000);
  });
});

describe('failures', () => {
  it.each([
    {
      name: 'throws',
      reply: throws({ errorType: 'TypeError', errorMessage: 'x is undefined, key canary-value', trace: [] }),
      message: 'the function failed (Unhandled): TypeError: x is undefined, key [redacted]',
    },
    {
      name: 'runs into its own timeout',
      reply: throws({ errorType: 'Sandbox.Timedout', errorMessage: 'Task timed out after 3.00 seconds' }),
      message: 'the function failed (Unhandled): Sandbox.Timedout: Task timed out after 3.00 seconds',
    },
    {
      name: 'fails in a way of its own',
      reply: throws('"nope"', 'Handled'),
      message: 'the function failed (Handled): "nope"',
    },
  ])('a function that $name has crashed, and is called once', async ({ reply, message }) => {
    expect(await askRow(build(() => reply))).toMatchObject({
      status: 'failed',
      cause: 'crashed',
      message,
      attempts: 1,
    });
  });

  it('throttled, then answered', async () => {
    const target = build((_, number) =>
      number === 0 ? exception('TooManyRequestsException', 429) : returns({ answer: 'ok' }),
    );
    expect(await askRow(target)).toMatchObject({ status: 'answered', attempts: 2, throttled: 1 });
  });

  it.each([
    { reply: exception('RequestTooLargeException', 413), cause: 'too-large', attempts: 1 },
    { reply: exception('ResourceNotFoundException', 404), cause: 'http-status', attempts: 1 },
    { reply: exception('ServiceException', 500), cause: 'http-status', attempts: 3 },
    { reply: exception('EFSMountTimeoutException', 408), cause: 'http-status', attempts: 1 },
    { reply: null, cause: 'connection', attempts: 3 },
  ])('$reply.body.message is a $cause failure after $attempts calls', async ({ reply, cause, attempts }) => {
    expect(await askRow(build(() => reply))).toMatchObject({ status: 'failed', cause, attempts });
  });

  it('name the role and the stage setting where access is denied', async () => {
    const answer = await askRow(build(() => exception('AccessDeniedException', 403)));
    expect(answer).toHaveProperty('message', expect.stringMatching(/lambda:InvokeFunction.*targets\.functions/));
  });

  it('is a timeout when it takes too long', async () => {
    const answer = await askRow(build(() => 'hang', { timeout_s: 0.05 }));
    expect(answer).toMatchObject({ status: 'failed', cause: 'timeout', latencyMs: 50, attempts: 1 });
  });
});

describeTargetContract('LambdaTarget', async () => {
  const stub = new JsonStub(({ body }) =>
    body.message === 'fail' ? throws({ errorMessage: 'canary-value' }) : returns({ answer: 'fine' }),
  );
  const endpoint = await stub.listen();
  const deps = { ...bench.deps(() => null, { KEY: 'canary-value' }) };
  const parsed = LambdaTargetSchema.parse({ type: 'lambda', function_arn: ARN, response_path: 'answer' });
  const aws = { endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
  return {
    target: new LambdaTarget({ ...parsed, id: 'bot' }, { ...deps, aws }),
    answers: { row: makeRow({ id: 'good' }), text: 'fine' },
    failing: makeRow({ id: 'bad', input: 'fail' }),
    canary: 'canary-value',
    dispose: () => stub.close(),
  };
});
