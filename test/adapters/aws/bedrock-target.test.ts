import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { BedrockTarget } from '../../../src/adapters/aws/bedrock-target.ts';
import type { JsonValue } from '../../../src/core/json.ts';
import { BedrockTargetSchema } from '../../../src/core/schemas/target-config.ts';
import { describeTargetContract } from '../../contracts/target.ts';
import { makeRow } from '../../fixtures/make-row.ts';
import { type Answering, JsonStub, type StubReply } from '../json-stub.ts';
import { askRow, exception, TargetBench } from './target-bench.ts';

const NOVA = 'us.amazon.nova-lite-v1:0'; // $0.06 and $0.24 a million tokens
const HAIKU = 'us.anthropic.claude-haiku-4-5-20251001-v1:0';
const USAGE = { inputTokens: 1000, outputTokens: 100, totalTokens: 1100 };
const USD_A_CALL = (1000 * 0.06 + 100 * 0.24) / 1e6;

type Config = Partial<z.input<typeof BedrockTargetSchema>>;
const bench = TargetBench.use();

function build(answering: Answering, config: Config = {}): BedrockTarget {
  const parsed = BedrockTargetSchema.parse({ type: 'bedrock', model: NOVA, ...config });
  return bench.keep(new BedrockTarget({ ...parsed, id: 'nova' }, bench.deps(answering, { KEY: 'canary-value' })));
}
function reply(content: object[], stopReason = 'end_turn', usage: object | null = USAGE): StubReply {
  const message = { role: 'assistant', content };
  return {
    status: 200,
    body: { output: { message }, stopReason, ...(usage === null ? {} : { usage }), metrics: { latencyMs: 5 } },
  };
}
const says = (text: string, stopReason?: string) => reply([{ text }], stopReason);
const uses = (name: string, input: unknown = {}, id = 't1') => ({ toolUse: { toolUseId: id, name, input } });
const request = (number = 0) => bench.stub.requests[number]?.body;

describe('the prompt', () => {
  const context = { input: 'How long?', contexts: ['30 days.', 'No refunds.'], metadata: { lang: 'de' } };

  it.each<{ name: string; config: Config; messages: unknown; system?: unknown }>([
    { name: 'is the input alone by default', config: {}, messages: [['user', 'How long?']] },
    {
      name: 'is filled in, contexts numbered',
      config: { prompt: '{{contexts}}\n\nQ ({{metadata.lang}}): {{ input }}' },
      messages: [['user', '[1] 30 days.\n\n[2] No refunds.\n\nQ (de): How long?']],
    },
    {
      name: 'may be messages, system ones apart',
      config: {
        messages: [
          { role: 'system', content: 'Answer in {{metadata.lang}}.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
          { role: 'user', content: '{{input}}' },
        ],
      },
      messages: [
        ['user', 'Hi'],
        ['assistant', 'Hello'],
        ['user', 'How long?'],
      ],
      system: [{ text: 'Answer in de.' }],
    },
    {
      name: 'leaves an empty history out',
      config: {
        messages: [
          { role: 'user', content: '{{history}}' },
          { role: 'user', content: '{{input}}' },
        ],
      },
      messages: [['user', 'How long?']],
    },
    {
      name: 'joins neighbours of one role, since models want turns to alternate',
      config: {
        messages: [
          { role: 'user', content: 'A' },
          { role: 'user', content: 'B' },
        ],
      },
      messages: [['user', 'A', 'B']],
    },
  ])('$name', async ({ config, messages, system }) => {
    const answer = await askRow(
      build(() => says('ok'), config),
      context,
    );
    expect(answer.status).toBe('answered');
    const sent = request().messages.map(({ role, content }: { role: string; content: { text: string }[] }) => [
      role,
      ...content.map(({ text }) => text),
    ]);
    expect(sent).toEqual(messages);
    expect(request().system).toEqual(system);
  });

  it('is never read again as a template', async () => {
    await askRow(
      build(() => says('ok'), { prompt: '{{input}}' }),
      { input: '{{secrets.KEY}} {{contexts}}' },
    );
    expect(request().messages[0].content[0].text).toBe('{{secrets.KEY}} {{contexts}}');
  });

  it.each([
    {
      name: 'contexts that the row lacks',
      config: { prompt: '{{contexts}} {{input}}' },
      says: 'the row has no contexts',
    },
    {
      name: 'a message that is blank for the row',
      config: { messages: [{ role: 'user' as const, content: '{{metadata.note}}' }] },
      says: 'targets.0.messages.0.content is blank for this row',
    },
  ])('that needs $name fails the row, and nothing is sent', async ({ config, says: message }) => {
    const answer = await askRow(
      build(() => says('ok'), config),
      { metadata: { note: ' ' } },
    );
    expect(answer).toMatchObject({ status: 'failed', cause: 'bad-request', attempts: 0, latencyMs: null });
    expect(answer).toHaveProperty('message', expect.stringContaining(message));
    expect(answer.cost).toEqual({ status: 'metered', usd: 0 });
    expect(bench.stub.requests).toEqual([]);
  });

  it.each<{ name: string; config: Config; message: string }>([
    {
      name: 'begins with the model',
      config: { messages: [{ role: 'assistant', content: 'Hi' }] },
      message: 'targets.0.messages: the conversation does not begin with the user',
    },
    { name: 'has an unknown variable', config: { prompt: '{{question}}' }, message: 'did you mean {{input}}?' },
  ])('that $name is a configuration error', ({ config, message }) => {
    expect(() => build(() => null, config)).toThrow(message);
  });
});

describe('the request', () => {
  it('goes to Converse with a bound on tokens, without temperature and tools unless asked for', async () => {
    await askRow(build(() => says('ok'), { max_tokens: 300 }));
    expect(bench.stub.requests[0]?.path).toBe(`/model/${encodeURIComponent(NOVA)}/converse`);
    expect(request()).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      inferenceConfig: { maxTokens: 300 },
    });
  });

  it('has no temperature for a model that is known to refuse it', async () => {
    await askRow(build(() => says('ok'), { model: 'us.anthropic.claude-opus-4-8', temperature: 0 }));
    expect(request().inferenceConfig).toEqual({ maxTokens: 1024 });
  });

  it('loses the temperature for good once a model has refused it', async () => {
    const target = build(
      ({ body }) =>
        body.inferenceConfig.temperature === undefined
          ? says('ok')
          : exception('ValidationException', 400, { message: '`temperature` is deprecated for this model.' }),
      { temperature: 0 },
    );
    expect(await askRow(target)).toMatchObject({ status: 'answered', attempts: 2 });
    expect(await askRow(target)).toMatchObject({ status: 'answered', attempts: 1 });
  });
});

describe('the answer', () => {
  it('is all the text, with tokens and their price', async () => {
    const answer = await askRow(
      build(() => reply([{ reasoningContent: { reasoningText: { text: 'hm' } } }, { text: 'a' }, { text: 'b' }])),
    );
    expect(answer).toEqual({
      status: 'answered',
      answer: { text: 'ab' },
      latencyMs: 0,
      attempts: 1,
      usage: { input: 1000, output: 100, cache_read: 0, cache_write: 0 },
      cost: { status: 'metered', usd: USD_A_CALL },
    });
  });

  it('may be empty', async () => {
    expect(await askRow(build(() => reply([])))).toMatchObject({ status: 'answered', answer: { text: '' } });
  });

  it.each([
    { name: 'a model without a price', model: 'acme.bot-v1', usage: USAGE },
    { name: 'a reply without tokens', model: NOVA, usage: null },
  ])('of $name has an unknown cost, never $0', async ({ model, usage }) => {
    const answer = await askRow(build(() => reply([{ text: 'x' }], 'end_turn', usage), { model }));
    expect(answer.cost).toEqual({ status: 'unknown', model });
  });

  it('holds no secret that the model repeats', async () => {
    const answer = await askRow(build(() => says('the key is canary-value'), { prompt: '{{secrets.KEY}} {{input}}' }));
    expect(answer).toMatchObject({ answer: { text: 'the key is [redacted]' } });
  });

  it.each([
    ['max_tokens', 'max-tokens', 'max_tokens (1024)'],
    ['model_context_window_exceeded', 'max-tokens', 'context window'],
    ['guardrail_intervened', 'refused', 'guardrail'],
    ['content_filtered', 'refused', 'content_filtered'],
    ['malformed_model_output', 'crashed', 'malformed'],
    ['tool_use', 'crashed', 'no tools'],
    ['something_new', 'crashed', 'something_new'],
  ])('that stopped with %s is a %s failure, and what was said is kept and paid for', async (stop, cause, message) => {
    const answer = await askRow(build(() => says('So far', stop)));
    expect(answer).toMatchObject({ status: 'failed', cause, answer: { text: 'So far' } });
    expect(answer).toHaveProperty('message', expect.stringContaining(message));
    expect(answer.cost).toEqual({ status: 'metered', usd: USD_A_CALL });
  });
});

describe('failures', () => {
  const failing =
    (failure: StubReply | null, times: number): Answering =>
    (_, number) =>
      number < times ? failure : says('ok');

  it('throttled seven times is answered the eighth time, whatever the retries', async () => {
    const answer = await askRow(build(failing(exception('ThrottlingException', 429), 7), { retries: 1 }));
    expect(answer).toMatchObject({ status: 'answered', attempts: 8, throttled: 7 });
  });

  it('throttled for good is a failure once nobody was answered for the time of a row', async () => {
    const startMs = bench.clock.now();
    const answer = await askRow(build(() => exception('ThrottlingException', 429), { timeout_s: 50, retries: 2 }));
    const cost = { status: 'metered', usd: 0 };
    expect(answer).toMatchObject({ status: 'failed', cause: 'throttled', cost });
    expect(answer).toHaveProperty('message', expect.stringContaining('ThrottlingException'));
    expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(150_000);
    expect(bench.stub.requests.length).toBeLessThan(20);
  });

  it('waits as long as the service asks', async () => {
    const startMs = bench.clock.now();
    const busy = {
      ...exception('ThrottlingException', 429),
      headers: { ...exception('ThrottlingException', 429).headers, 'retry-after': '9' },
    };
    expect(await askRow(build(failing(busy, 1)))).toMatchObject({ status: 'answered', throttled: 1 });
    expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(9_000);
  });

  it.each<{ name: string; failure: StubReply | null; cause: string; attempts: number }>([
    {
      name: 'a model that is not ready',
      failure: exception('ModelNotReadyException', 429),
      cause: 'http-status',
      attempts: 8,
    },
    {
      name: 'an unavailable service',
      failure: exception('ServiceUnavailableException', 503),
      cause: 'http-status',
      attempts: 3,
    },
    { name: 'a 502 without a name', failure: { status: 502, body: {} }, cause: 'http-status', attempts: 3 },
    { name: 'a broken connection', failure: null, cause: 'connection', attempts: 3 },
    { name: 'a model timeout', failure: exception('ModelTimeoutException', 408), cause: 'timeout', attempts: 2 },
    {
      name: 'a model error',
      failure: exception('ModelErrorException', 424, { originalStatusCode: 500 }),
      cause: 'http-status',
      attempts: 2,
    },
    {
      name: 'a model error about the request',
      failure: exception('ModelErrorException', 424, { originalStatusCode: 400 }),
      cause: 'http-status',
      attempts: 1,
    },
    {
      name: 'a request that is too long',
      failure: exception('ValidationException', 400),
      cause: 'http-status',
      attempts: 1,
    },
    { name: 'a refused role', failure: exception('AccessDeniedException', 403), cause: 'http-status', attempts: 1 },
    { name: 'something new', failure: exception('NewException', 418), cause: 'http-status', attempts: 1 },
    { name: 'a body that is no JSON', failure: { status: 200, body: '<html>' }, cause: 'not-json', attempts: 1 },
  ])('$name is tried $attempts times and then a $cause failure', async ({ failure, cause, attempts }) => {
    const answer = await askRow(build(() => failure));
    expect(answer).toMatchObject({ status: 'failed', cause, attempts, cost: { status: 'metered', usd: 0 } });
    expect(bench.stub.requests).toHaveLength(attempts);
  });

  it('are final with retries: 0, throttling too', async () => {
    const answer = await askRow(build(() => exception('ThrottlingException', 429), { retries: 0 }));
    expect(answer).toMatchObject({ status: 'failed', cause: 'throttled', attempts: 1 });
  });

  it('of nobody listening are not tried again', async () => {
    const target = build(() => null);
    await bench.stub.close();
    expect(await askRow(target)).toMatchObject({ cause: 'connection', attempts: 1 });
    bench.stub = new JsonStub(() => null);
  });

  it('say what to check when the model is not enabled', async () => {
    const answer = await askRow(build(() => exception('ResourceNotFoundException', 404), { model: HAIKU }));
    expect(answer).toHaveProperty(
      'message',
      expect.stringMatching(/it was ResourceNotFound.*\(HTTP 404\) \(check.*use-case form/),
    );
  });

  it('is a timeout when no reply comes, with the limit as its time', async () => {
    const answer = await askRow(build(() => 'hang', { timeout_s: 0.05 }));
    expect(answer).toMatchObject({ status: 'failed', cause: 'timeout', attempts: 1, latencyMs: 50 });
  });

  it('ends at once when the run stops', async () => {
    const stop = new AbortController();
    const answering: Answering = () => {
      stop.abort();
      return 'hang';
    };
    const answer = await askRow(build(answering), {}, stop.signal);
    expect(answer).toMatchObject({
      status: 'failed',
      cause: 'connection',
      message: expect.stringContaining('stopped'),
    });
    expect(bench.stub.requests).toHaveLength(1);
  });
});

describe('a row with tools', () => {
  const weather = {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  };
  const tools: JsonValue = [
    { ...weather, response: { celsius: 21 } },
    { name: 'send_mail', error: 'mailbox full' },
  ];
  const script =
    (...replies: StubReply[]): Answering =>
    (_, number) =>
      replies[number] ?? says('nothing left to say');
  const resultOf = (number: number, at = 0) => request(number).messages.at(-1).content[at].toolResult;

  it('offers them, answers their calls and keeps every step', async () => {
    const first = reply([{ text: 'I look it up.' }, uses('get_weather', { city: 'Berlin' })], 'tool_use');
    const answer = await askRow(build(script(first, says('21 degrees.'))), { input: 'Weather in Berlin?', tools });
    expect(answer).toMatchObject({
      status: 'answered',
      attempts: 2,
      usage: { input: 2000, output: 200 },
      cost: { status: 'metered', usd: 2 * USD_A_CALL },
    });
    expect(answer.answer).toEqual({
      text: '21 degrees.',
      trajectory: {
        steps: [
          { type: 'thought', content: 'I look it up.', latency_ms: 0, tokens: 1100, cost_usd: USD_A_CALL },
          {
            type: 'tool_call',
            tool_call: { name: 'get_weather', arguments: { city: 'Berlin' }, result: { celsius: 21 } },
            latency_ms: 0,
          },
          { type: 'answer', content: '21 degrees.', latency_ms: 0, tokens: 1100, cost_usd: USD_A_CALL },
        ],
        final_answer: '21 degrees.',
        total_latency_ms: 0,
        total_tokens: 2200,
        total_cost_usd: 2 * USD_A_CALL,
      },
    });
    const { name, description, parameters } = weather;
    expect(request().toolConfig).toEqual({
      tools: [
        { toolSpec: { name, description, inputSchema: { json: parameters } } },
        {
          toolSpec: {
            name: 'send_mail',
            description: 'send_mail',
            inputSchema: { json: { type: 'object', properties: {} } },
          },
        },
      ],
    });
    expect(request(1).messages).toHaveLength(3);
    expect(resultOf(1)).toEqual({ toolUseId: 't1', content: [{ json: { celsius: 21 } }] });
  });

  it.each([
    { name: 'the error of a mock', call: 'send_mail', error: 'mailbox full' },
    {
      name: 'a tool that is not there, with those that are',
      call: 'send_sms',
      error: 'there is no tool "send_sms"; available tools: get_weather, send_mail',
    },
  ])('hands the model $name as an error, and goes on', async ({ call, error }) => {
    const answer = await askRow(build(script(reply([uses(call)], 'tool_use'), says('Sorry.'))), { tools });
    expect(resultOf(1)).toEqual({ toolUseId: 't1', status: 'error', content: [{ text: `Error: ${error}` }] });
    expect(answer).toMatchObject({ status: 'answered', answer: { text: 'Sorry.' } });
    expect(answer.answer?.trajectory?.steps[0]?.tool_call).toEqual({ name: call, arguments: {}, error });
  });

  it('answers all calls of one turn together, waiting for the slowest', async () => {
    const slow: JsonValue = [
      { name: 'a', response: 1, latency_ms: 300 },
      { name: 'b', response: 'two', latency_ms: 500 },
      { name: 'c' },
    ];
    const turn = reply([uses('a', {}, 'x'), uses('b', {}, 'y'), uses('c', {}, 'z')], 'tool_use');
    const answer = await askRow(build(script(turn, says('ok'))), { tools: slow });
    expect(bench.clock.slept).toEqual([500]);
    expect([0, 1, 2].map((at) => resultOf(1, at))).toEqual([
      { toolUseId: 'x', content: [{ text: '1' }] },
      { toolUseId: 'y', content: [{ text: 'two' }] },
      { toolUseId: 'z', content: [{ text: 'null' }] },
    ]);
    expect(answer.answer?.trajectory?.total_latency_ms).toBe(500);
    expect(answer.latencyMs).toBe(0);
  });

  it('goes on when a model says end_turn beside a tool call', async () => {
    const answer = await askRow(build(script(reply([uses('get_weather')]), says('21'))), { tools });
    expect(answer).toMatchObject({ status: 'answered', answer: { text: '21' } });
  });

  it('says no blank text back to the model, which would refuse it', async () => {
    await askRow(build(script(reply([{ text: '' }, uses('get_weather')], 'tool_use'), says('ok'))), { tools });
    expect(request(1).messages[1].content).toEqual([uses('get_weather')]);
  });

  it('gives reasoning back as it came, signature included', async () => {
    const thinking = { reasoningContent: { reasoningText: { text: 'Berlin, then.', signature: 'c2ln' } } };
    const answer = await askRow(build(script(reply([thinking, uses('get_weather')], 'tool_use'), says('ok'))), {
      tools,
    });
    expect(request(1).messages[1].content[0]).toEqual(thinking);
    expect(answer.answer?.trajectory?.steps[0]).toMatchObject({ type: 'thought', content: 'Berlin, then.' });
  });

  it('drops the status of results for models that do not take it', async () => {
    const answering: Answering = ({ body }, number) => {
      if (number === 0) return reply([uses('send_mail')], 'tool_use');
      return JSON.stringify(body).includes('"status"')
        ? exception('ValidationException', 400, { message: "This model doesn't support the status field." })
        : says('ok');
    };
    expect(await askRow(build(answering), { tools })).toMatchObject({ status: 'answered', attempts: 3 });
    await askRow(build(script(reply([uses('send_mail')], 'tool_use')), { model: 'mistral.mistral-large-3' }), {
      tools,
    });
    expect(JSON.stringify(bench.stub.requests.at(-1)?.body)).not.toContain('"status"');
  });

  it.each([{ max_iterations: 10 }, { max_iterations: 200 }])(
    'stops after $max_iterations calls, with all the steps',
    async ({ max_iterations }) => {
      const target = build(() => reply([uses('get_weather')], 'tool_use'), { max_iterations });
      const answer = await askRow(target, { tools });
      expect(answer).toMatchObject({ status: 'failed', cause: 'crashed', attempts: max_iterations });
      expect(answer).toHaveProperty(
        'message',
        expect.stringContaining(`no answer after ${max_iterations} calls of the model`),
      );
      const trajectory = answer.answer?.trajectory;
      expect(trajectory?.steps).toHaveLength(max_iterations);
      expect(trajectory).toMatchObject({ final_answer: null, error: expect.stringContaining('loop limit') });
      expect(answer.usage?.input).toBe(1000 * max_iterations);
    },
  );

  it('carries a result of a megabyte', async () => {
    const big = [{ name: 'get_weather', response: { text: 'x'.repeat(1_000_000) } }];
    const answer = await askRow(build(script(reply([uses('get_weather')], 'tool_use'), says('ok'))), { tools: big });
    expect(resultOf(1).content[0].json.text).toHaveLength(1_000_000);
    expect(answer).toMatchObject({ status: 'answered' });
  });

  it('stops before its results outgrow what a request may be', async () => {
    const big = [{ name: 'get_weather', response: 'x'.repeat(4_000_000) }];
    const answer = await askRow(
      build(() => reply([uses('get_weather')], 'tool_use')),
      { tools: big },
    );
    expect(answer).toMatchObject({ status: 'failed', cause: 'too-large' });
    expect(answer.answer?.trajectory?.steps).toHaveLength(5);
  });

  it('stops when mocks keep it waiting for minutes', async () => {
    const slow: JsonValue = [{ name: 'get_weather', latency_ms: 60_000 }];
    const target = build(() => reply([uses('get_weather')], 'tool_use'), { max_iterations: 200 });
    expect(await askRow(target, { tools: slow })).toMatchObject({ status: 'failed', cause: 'timeout', attempts: 11 });
  });

  it('that fails on the way keeps its steps and what they cost', async () => {
    const replies = [reply([uses('get_weather')], 'tool_use'), exception('ValidationException', 400)];
    const answer = await askRow(build(script(...replies)), { tools });
    expect(answer).toMatchObject({ status: 'failed', cause: 'http-status', attempts: 2 });
    expect(answer.cost).toEqual({ status: 'metered', usd: USD_A_CALL });
    expect(answer.answer?.trajectory?.steps).toHaveLength(1);
  });

  it('throttled on the way goes on where it was', async () => {
    const replies = [reply([uses('get_weather')], 'tool_use'), exception('ThrottlingException', 429), says('21')];
    const answer = await askRow(build(script(...replies)), { tools });
    expect(answer).toMatchObject({ status: 'answered', attempts: 3, answer: { text: '21' } });
  });

  it.each(['max_tokens', 'guardrail_intervened'])('cut off by %s on the way is a failure', async (stop) => {
    const answer = await askRow(build(script(reply([uses('get_weather')], 'tool_use'), says('Because', stop))), {
      tools,
    });
    expect(answer).toMatchObject({ status: 'failed', answer: { trajectory: { steps: [{}, { content: 'Because' }] } } });
  });

  it('none of them is asked without, and still has a trajectory', async () => {
    const answer = await askRow(
      build(() => says('ok')),
      { tools: [] },
    );
    expect(request().toolConfig).toBeUndefined();
    expect(answer.answer?.trajectory).toMatchObject({ steps: [{ type: 'answer' }], final_answer: 'ok' });
  });

  it('is a trajectory, too, where its steps are checked and it has no tools', async () => {
    const answer = await askRow(
      build(() => says('ok')),
      { checks: { must_not_call: ['refund'] } },
    );
    expect(answer.answer?.trajectory?.steps).toHaveLength(1);
  });

  it.each([
    { name: 'a number beyond JSON', input: '{"n":1e999}' },
    { name: 'nesting that nothing could walk', input: `${'['.repeat(300)}${']'.repeat(300)}` },
  ])('called with $name tells the model so', async ({ input }) => {
    const body = JSON.stringify((reply([uses('get_weather', 'INPUT')], 'tool_use') as { body: object }).body);
    const bad = { status: 200, body: body.replace('"INPUT"', input) };
    const answer = await askRow(build(script(bad, says('ok'))), { tools });
    expect(answer).toMatchObject({ status: 'answered', answer: { text: 'ok' } });
    expect(answer.answer?.trajectory?.steps[0]?.tool_call).toMatchObject({
      arguments: null,
      error: expect.stringContaining('no usable JSON'),
    });
  });

  it('keeps numbers with more digits than a double has as the nearest one', async () => {
    const body = JSON.stringify((reply([uses('get_weather', 'INPUT')], 'tool_use') as { body: object }).body);
    const input = '{"id":12345678901234567890,"share":0.33333333333333333333,"list":[1.0,{"n":-1e3}]}';
    const answer = await askRow(build(script({ status: 200, body: body.replace('"INPUT"', input) }, says('ok'))), {
      tools,
    });
    const expected = { id: 12345678901234567000, share: 1 / 3, list: [1, { n: -1000 }] };
    expect(answer.answer?.trajectory?.steps[0]?.tool_call?.arguments).toEqual(expected);
    expect(request(1).messages[1].content[0].toolUse.input).toEqual(expected);
  });

  it('of the wrong form fails, and nothing is sent', async () => {
    const answer = await askRow(
      build(() => says('ok')),
      { tools: [{ name: 'get weather' }] },
    );
    expect(answer).toMatchObject({
      cause: 'bad-request',
      attempts: 0,
      message: expect.stringContaining('tools.0: name: a tool name'),
    });
    expect(bench.stub.requests).toEqual([]);
  });

  it('stops within a mock that is waiting when the run stops', async () => {
    const stop = new AbortController();
    const answering: Answering = () => {
      stop.abort();
      return reply([uses('get_weather')], 'tool_use');
    };
    const answer = await askRow(build(answering), { tools }, stop.signal);
    expect(answer).toMatchObject({ status: 'failed', cause: 'connection' });
    expect(bench.stub.requests).toHaveLength(1);
  });
});

describeTargetContract('BedrockTarget', async () => {
  const stub = new JsonStub(({ body }) =>
    body.messages[0].content[0].text === 'fail' ? exception('ValidationException', 400) : says('fine'),
  );
  const endpoint = await stub.listen();
  const config = BedrockTargetSchema.parse({ type: 'bedrock', model: NOVA });
  const deps = {
    ...bench.deps(() => null),
    aws: { endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
  };
  return {
    target: new BedrockTarget({ ...config, id: 'nova' }, deps),
    answers: { row: makeRow({ id: 'good' }), text: 'fine' },
    failing: makeRow({ id: 'bad', input: 'fail' }),
    dispose: () => stub.close(),
  };
});
