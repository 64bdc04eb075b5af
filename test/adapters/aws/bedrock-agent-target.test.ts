import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { BedrockAgentTarget } from '../../../src/adapters/aws/bedrock-agent-target.ts';
import { BedrockAgentTargetSchema } from '../../../src/core/schemas/target-config.ts';
import { describeTargetContract } from '../../contracts/target.ts';
import { makeRow } from '../../fixtures/make-row.ts';
import { type Answering, JsonStub } from '../json-stub.ts';
import { eventFrame, eventStream, exceptionFrame } from './event-stream.ts';
import { askRow, exception, TargetBench } from './target-bench.ts';

type Config = Partial<z.input<typeof BedrockAgentTargetSchema>>;
const AGENT = { type: 'bedrock-agent' as const, agent_id: 'AGENT12345', agent_alias_id: 'ALIAS12345' };
const bench = TargetBench.use();

function build(answering: Answering, config: Config = {}): BedrockAgentTarget {
  const parsed = BedrockAgentTargetSchema.parse({ ...AGENT, ...config });
  return bench.keep(new BedrockAgentTarget({ ...parsed, id: 'agent' }, bench.deps(answering)));
}
const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');
const chunk = (content: string | Uint8Array, citations?: object[]) =>
  eventFrame('chunk', { bytes: base64(content), ...(citations === undefined ? {} : { attribution: { citations } }) });
const trace = (member: object) => eventFrame('trace', { sessionId: 's', agentId: 'AGENT12345', trace: member });
const step = (part: object) => trace({ orchestrationTrace: part });
const answers =
  (...frames: Uint8Array[]): Answering =>
  () =>
    eventStream(frames);

const modelCall = [
  step({ modelInvocationInput: { traceId: 't-0', foundationModel: 'us.amazon.nova-lite-v1:0' } }),
  step({ modelInvocationOutput: { traceId: 't-0', metadata: { usage: { inputTokens: 500, outputTokens: 50 } } } }),
];
const toolCall = [
  step({ rationale: { traceId: 't-0', text: 'I need the order.' } }),
  step({
    invocationInput: {
      traceId: 't-0',
      invocationType: 'ACTION_GROUP',
      actionGroupInvocationInput: {
        actionGroupName: 'orders',
        function: 'get_order',
        parameters: [{ name: 'order_id', type: 'integer', value: '42' }],
      },
    },
  }),
  step({
    observation: {
      traceId: 't-0',
      type: 'ACTION_GROUP',
      actionGroupInvocationOutput: { text: '{"status":"shipped"}', metadata: { totalTimeMs: 120 } },
    },
  }),
];
const lookUp = [
  step({ invocationInput: { traceId: 't-1', knowledgeBaseLookupInput: { text: 'shipping', knowledgeBaseId: 'KB1' } } }),
  step({
    observation: {
      traceId: 't-1',
      knowledgeBaseLookupOutput: {
        retrievedReferences: [{ content: { text: 'Two days.' } }, { content: { text: 'Free.' } }],
      },
    },
  }),
];

describe('the call', () => {
  it('asks the alias with the input, traces on, in a session of its own', async () => {
    const target = build(answers(chunk('ok')), { region: 'eu-central-1' });
    await askRow(target, { id: 'r 1', input: 'Where is 42?' });
    await askRow(target, { id: 'r 1' });
    const [first, second] = bench.stub.requests;
    const path = /^\/agents\/AGENT12345\/agentAliases\/ALIAS12345\/sessions\/(assay-r-1-1-[0-9a-f]{32})\/text$/;
    expect(first?.path).toMatch(path);
    expect(second?.path).not.toBe(first?.path);
    expect(first?.body).toEqual({ inputText: 'Where is 42?', enableTrace: true });
    expect(first?.headers.authorization).toContain('/eu-central-1/bedrock/aws4_request');
  });
});

describe('the answer', () => {
  it('has the trace as its steps, results attached, and the passages as its contexts', async () => {
    const final = step({ observation: { traceId: 't-2', type: 'FINISH', finalResponse: { text: 'It was shipped.' } } });
    const citation = { retrievedReferences: [{ content: { text: 'Two days.' } }, { content: { text: 'By post.' } }] };
    const reply = await askRow(
      build(answers(...modelCall, ...toolCall, ...modelCall, ...lookUp, final, chunk('It was shipped.', [citation]))),
    );
    expect(reply).toEqual({
      status: 'answered',
      answer: {
        text: 'It was shipped.',
        contexts: ['Two days.', 'Free.', 'By post.'],
        trajectory: {
          steps: [
            { type: 'thought', content: 'I need the order.' },
            {
              type: 'tool_call',
              tool_call: { name: 'get_order', arguments: { order_id: 42 }, result: { status: 'shipped' } },
              latency_ms: 120,
            },
            {
              type: 'tool_call',
              tool_call: {
                name: 'knowledge_base',
                arguments: { knowledge_base_id: 'KB1', text: 'shipping' },
                result: ['Two days.', 'Free.'],
              },
            },
            { type: 'answer', content: 'It was shipped.' },
          ],
          final_answer: 'It was shipped.',
          total_tokens: 1100,
        },
      },
      latencyMs: 0,
      attempts: 1,
      usage: { input: 1000, output: 100, cache_read: 0, cache_write: 0 },
      cost: { status: 'metered', usd: (1000 * 0.06 + 100 * 0.24) / 1e6 },
    });
  });

  it('comes in chunks that cut characters in two', async () => {
    const bytes = Buffer.from('Zoë 🚀');
    const frames = [...bytes].map((byte) => chunk(new Uint8Array([byte])));
    expect(await askRow(build(answers(...frames)))).toMatchObject({ answer: { text: 'Zoë 🚀' } });
  });

  it('may be empty, and has then what the trace says last', async () => {
    expect(await askRow(build(answers()))).toMatchObject({ status: 'answered', answer: { text: '', contexts: [] } });
    const final = step({ observation: { finalResponse: { text: 'Done.' } } });
    expect(await askRow(build(answers(final)))).toMatchObject({ answer: { text: 'Done.' } });
  });

  it('without tokens in the trace is not metered; with tokens of an unnamed model its cost is unknown', async () => {
    expect((await askRow(build(answers(chunk('x'))))).cost).toEqual({ status: 'not_metered' });
    const unnamed = await askRow(build(answers(...modelCall.slice(1), chunk('x'))));
    expect(unnamed.cost).toEqual({ status: 'unknown', model: 'bedrock-agent AGENT12345' });
  });

  it('keeps a result of a megabyte and 500 steps', async () => {
    const big = step({ observation: { traceId: 't-0', actionGroupInvocationOutput: { text: 'x'.repeat(1_000_000) } } });
    const thoughts = Array.from({ length: 500 }, (_, at) => step({ rationale: { text: `thought ${at}` } }));
    const reply = await askRow(build(answers(...toolCall.slice(0, 2), big, ...thoughts, chunk('ok'))));
    expect(reply.answer?.trajectory?.steps).toHaveLength(502);
    expect(String(reply.answer?.trajectory?.steps[1]?.tool_call?.result)).toHaveLength(1_000_000);
  });
});

describe('failures', () => {
  it.each([
    {
      name: 'a failure in the trace',
      frames: [...toolCall, trace({ failureTrace: { traceId: 't', failureReason: 'max iterations' } })],
      cause: 'crashed',
      message: 'the agent failed: max iterations',
    },
    {
      name: 'control returned for a function',
      frames: [
        eventFrame('returnControl', {
          invocationId: 'i',
          invocationInputs: [{ functionInvocationInput: { actionGroup: 'orders', function: 'cancel_order' } }],
        }),
      ],
      cause: 'crashed',
      message: 'waits for the result of orders.cancel_order',
    },
    {
      name: 'control returned for an API',
      frames: [
        eventFrame('returnControl', {
          invocationId: 'i',
          invocationInputs: [{ apiInvocationInput: { actionGroup: 'orders', apiPath: '/orders/{id}' } }],
        }),
      ],
      cause: 'crashed',
      message: 'waits for the result of orders /orders/{id}',
    },
    {
      name: 'a guardrail that blocks',
      frames: [
        trace({
          guardrailTrace: {
            action: 'INTERVENED',
            inputAssessments: [{ topicPolicy: { topics: [{ name: 'x', type: 'DENY', action: 'BLOCKED' }] } }],
          },
        }),
        chunk('I cannot help.'),
      ],
      cause: 'refused',
      message: 'a guardrail intervened: I cannot help.',
    },
    {
      name: 'a dependency that failed',
      frames: [chunk('So'), exceptionFrame('dependencyFailedException', 'Lambda said no')],
      cause: 'crashed',
      message: 'Lambda said no',
    },
    {
      name: 'access denied within the stream',
      frames: [exceptionFrame('accessDeniedException', 'not you')],
      cause: 'http-status',
      message: 'not you',
    },
  ])('$name is a $cause failure, and asked once', async ({ frames, cause, message }) => {
    const reply = await askRow(build(answers(...frames)));
    expect(reply).toMatchObject({ status: 'failed', cause, attempts: 1 });
    expect(reply).toHaveProperty('message', expect.stringContaining(message));
  });

  it('that come late keep the steps before them', async () => {
    const failure = trace({ failureTrace: { failureReason: 'gave up' } });
    const reply = await askRow(build(answers(...lookUp, ...toolCall, failure)));
    expect(reply.answer).toMatchObject({
      contexts: ['Two days.', 'Free.'],
      trajectory: { steps: [{}, {}, {}], final_answer: null, error: 'the agent failed: gave up' },
    });
  });

  it('a guardrail that only masks is no refusal', async () => {
    const assessments = [
      { sensitiveInformationPolicy: { piiEntities: [{ type: 'EMAIL', match: 'a@b', action: 'ANONYMIZED' }] } },
    ];
    const masked = trace({ guardrailTrace: { action: 'INTERVENED', outputAssessments: assessments } });
    const reply = await askRow(build(answers(masked, chunk('Mail {EMAIL}.'))));
    expect(reply).toMatchObject({ status: 'answered', answer: { trajectory: { steps: [{ type: 'observation' }] } } });
  });

  it.each([
    { name: 'before the stream', failure: exception('ThrottlingException', 429) },
    {
      name: 'within the stream',
      failure: eventStream([chunk('So'), exceptionFrame('throttlingException', 'slow down')]),
    },
  ])('throttled $name, then answered, and nothing of the first attempt is left', async ({ failure }) => {
    const reply = await askRow(build((_, number) => (number === 0 ? failure : eventStream([chunk('ok')]))));
    expect(reply).toMatchObject({ status: 'answered', answer: { text: 'ok' }, attempts: 2, throttled: 1 });
  });

  it.each([
    { name: 'bytes that are no frames', body: Buffer.from('this is not an event stream at all, not even nearly') },
    {
      name: 'a frame with a wrong checksum',
      body: Buffer.concat([chunk('ok').map((byte, at) => (at === 20 ? byte ^ 1 : byte))]),
    },
    { name: 'a frame cut short', body: Buffer.from(chunk('hello')).subarray(0, 60) },
  ])('$name are a connection failure after all attempts', async ({ body }) => {
    const reply = await askRow(build(() => eventStream([body])));
    expect(reply).toMatchObject({ status: 'failed', cause: 'connection', attempts: 3 });
  });

  it('a stream that breaks off is tried again', async () => {
    const half = async function* () {
      yield chunk('It is');
      throw new Error('gone');
    };
    const target = build((_, number) => eventStream(number === 0 ? half() : [chunk('whole')]));
    expect(await askRow(target)).toMatchObject({ status: 'answered', answer: { text: 'whole' }, attempts: 2 });
  });

  it('a stream that never ends is a timeout', async () => {
    const endless = async function* () {
      yield chunk('It is');
      await new Promise(() => {});
    };
    const reply = await askRow(build(() => eventStream(endless()), { timeout_s: 0.1 }));
    expect(reply).toMatchObject({ status: 'failed', cause: 'timeout', latencyMs: 100, attempts: 1 });
  });

  it('name the alias and the stage setting where access is denied', async () => {
    const reply = await askRow(build(() => exception('AccessDeniedException', 403)));
    expect(reply).toHaveProperty('message', expect.stringMatching(/ALIAS12345.*bedrock:InvokeAgent.*targets\.agents/));
  });
});

describeTargetContract('BedrockAgentTarget', async () => {
  const stub = new JsonStub(({ body }) =>
    body.inputText === 'fail' ? exception('ValidationException', 400) : eventStream([chunk('fine')]),
  );
  const endpoint = await stub.listen();
  const aws = { endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
  const config = { ...BedrockAgentTargetSchema.parse(AGENT), id: 'agent' };
  return {
    target: new BedrockAgentTarget(config, { ...bench.deps(() => null), aws }),
    answers: { row: makeRow({ id: 'good' }), text: 'fine' },
    failing: makeRow({ id: 'bad', input: 'fail' }),
    dispose: () => stub.close(),
  };
});
