import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BedrockJudge } from '../../../src/adapters/aws/bedrock-judge.ts';
import { PRICES } from '../../../src/core/cost/price-table.ts';
import { readVerdicts } from '../../../src/core/judging/read-verdicts.ts';
import { InstantClock } from '../../contracts/instant-clock.ts';
import { anyVerdict, contractQuestion, judgeContract, judgeRequest } from '../../contracts/judge.ts';
import { type Answering, JsonStub, type StubReply } from '../json-stub.ts';

const NOVA = 'us.amazon.nova-2-lite-v1:0';
const HAIKU = 'us.anthropic.claude-haiku-4-5-20251001-v1:0';
const USAGE = { inputTokens: 1000, outputTokens: 100, totalTokens: 1100 };
const verdict = anyVerdict(contractQuestion.asks);

function converse(content: object[], stopReason: string, usage: object | undefined = USAGE): StubReply {
  return {
    status: 200,
    body: { output: { message: { role: 'assistant', content } }, stopReason, usage, metrics: { latencyMs: 5 } },
  };
}
const toolUse = (input: unknown = verdict) =>
  converse([{ toolUse: { toolUseId: 't1', name: 'submit_verdict', input } }], 'tool_use');
function exception(name: string, status: number, extra: object = {}): StubReply {
  return {
    status,
    headers: { 'x-amzn-errortype': `${name}:http://internal.amazon.com/` },
    body: { message: `it was ${name}`, ...extra },
  };
}
/** Replies as a model of the table would: by tool, by schema, or in free text. */
const obliging: Answering = ({ body }) => {
  if (body.toolConfig?.toolChoice?.tool || body.toolConfig?.toolChoice?.any) return toolUse();
  if (body.outputConfig) return converse([{ text: JSON.stringify(verdict) }], 'end_turn');
  const nonce = /"nonce" is "(\w+)"/.exec(body.messages[0].content[0].text)?.[1];
  return converse([{ text: `Sure.\n${JSON.stringify({ nonce, ...verdict })}` }], 'end_turn');
};

let stub: JsonStub;
let url: string;
let clock: InstantClock;
let judge: BedrockJudge;

function build(answering: Answering, model = NOVA, settings: { timeout_s?: number } = {}): BedrockJudge {
  stub.answering = answering;
  const config = { type: 'bedrock' as const, model, max_tokens: 700, timeout_s: 60, temperature: 0, ...settings };
  judge = new BedrockJudge(config, {
    clock,
    random: () => 0.5,
    prices: PRICES,
    client: {
      region: 'us-east-1',
      endpoint: url,
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'none' },
    },
    hasApiKey: false,
  });
  return judge;
}

beforeEach(async () => {
  stub = new JsonStub(obliging);
  url = await stub.listen();
  clock = new InstantClock();
});
afterEach(async () => {
  await judge.close();
  await stub.close();
});

for (const [model, channel] of [
  [NOVA, 'tool'],
  [HAIKU, 'schema'],
  ['us.meta.llama4-scout-17b-instruct-v1:0', 'text'],
  ['google.gemma-3-12b-it', 'text'],
] as const) {
  judgeContract(`BedrockJudge on ${model}`, async () => {
    expect(build(obliging, model).channel).toBe(channel);
    return { judge };
  });
}

describe('the request', () => {
  it('forces the tool on Nova, with the schema and a bound on tokens', async () => {
    const request = judgeRequest();
    await build(obliging).ask(request);
    expect(stub.requests[0]?.path).toBe(`/model/${encodeURIComponent(NOVA)}/converse`);
    expect(stub.requests[0]?.body).toMatchObject({
      system: [{ text: request.prompt.system }],
      messages: [{ role: 'user', content: [{ text: request.prompt.user }] }],
      inferenceConfig: { maxTokens: 700, temperature: 0 },
      toolConfig: {
        toolChoice: { tool: { name: 'submit_verdict' } },
        tools: [{ toolSpec: { name: 'submit_verdict', inputSchema: { json: request.prompt.schema } } }],
      },
    });
  });
  it('gives Claude a schema instead', async () => {
    const request = judgeRequest();
    await build(obliging, HAIKU).ask(request);
    const { outputConfig, toolConfig } = stub.requests[0]?.body ?? {};
    expect(toolConfig).toBeUndefined();
    expect(JSON.parse(outputConfig.textFormat.structure.jsonSchema.schema)).toEqual(request.prompt.schema);
  });
  it.each(['us.anthropic.claude-opus-4-8', 'us.anthropic.claude-fable-5'])(
    'sets no temperature on %s',
    async (model) => {
      await build(obliging, model).ask(judgeRequest());
      expect(stub.requests[0]?.body.inferenceConfig).toEqual({ maxTokens: 700 });
    },
  );
  it('offers Llama the tool without forcing it', async () => {
    await build(obliging, 'us.meta.llama4-scout-17b-instruct-v1:0').ask(judgeRequest());
    expect(stub.requests[0]?.body.toolConfig.toolChoice).toEqual({ auto: {} });
  });
  it('goes over kept connections', async () => {
    build(obliging);
    for (let call = 0; call < 5; call += 1) await judge.ask(judgeRequest());
    expect(stub.connections).toBe(1);
  });
});

describe('the reply', () => {
  it('is priced by its four classes of tokens', async () => {
    const usage = { ...USAGE, cacheReadInputTokens: 2000, cacheWriteInputTokens: 3000 };
    const reply = await build(() => converse([{ text: 'x' }], 'end_turn', usage)).ask(judgeRequest());
    expect(reply.usage).toEqual({ input: 1000, output: 100, cache_read: 2000, cache_write: 3000 });
    const usd = (1000 * 0.33 + 100 * 2.75 + 2000 * 0.0825 + 3000 * 0.33) / 1e6;
    expect(reply.cost).toEqual({ status: 'metered', usd });
  });
  it('of a model without a price has an unknown cost', async () => {
    const reply = await build(obliging, 'acme.judge-v1').ask(judgeRequest());
    expect(reply.cost).toEqual({ status: 'unknown', model: 'acme.judge-v1' });
  });
  it('keeps stop reason and blocks as they came', async () => {
    const blocks = [{ reasoningContent: { reasoningText: { text: 'hm' } } }, { text: 'Sorry' }];
    const reply = await build(() => converse(blocks, 'guardrail_intervened')).ask(judgeRequest());
    expect(reply).toMatchObject({
      stopReason: 'guardrail_intervened',
      content: [{ kind: 'reasoning' }, { kind: 'text', text: 'Sorry' }],
    });
    expect(readVerdicts(reply, contractQuestion, '')).toMatchObject({ cause: 'stop-reason' });
  });
});

it('a score with more digits than a double has is read as the nearest one', async () => {
  const body = JSON.stringify((toolUse({ score: 'SCORE' }) as { body: object }).body);
  const reply = await build(() => ({ status: 200, body: body.replace('"SCORE"', '0.83333333333333333333') })).ask(
    judgeRequest(),
  );
  expect(reply).toMatchObject({ content: [{ kind: 'tool_use', input: { score: 5 / 6 } }] });
});

describe('failures', () => {
  const failing =
    (reply: StubReply | null, times: number): Answering =>
    (request, number) =>
      number < times ? reply : obliging(request, number);

  it.each([
    { name: 'a model that is not ready', reply: exception('ModelNotReadyException', 429), times: 7 },
    { name: 'an unavailable service', reply: exception('ServiceUnavailableException', 503), times: 2 },
    { name: 'an internal error', reply: exception('InternalServerException', 500), times: 2 },
    { name: 'a broken connection', reply: null, times: 2 },
    { name: 'a 502 without a name', reply: { status: 502, body: {} }, times: 2 },
    { name: 'a model timeout', reply: exception('ModelTimeoutException', 408), times: 1 },
    { name: 'a model error', reply: exception('ModelErrorException', 424, { originalStatusCode: 500 }), times: 1 },
  ])('$name is retried, $times times at most', async ({ reply, times }) => {
    expect(await build(failing(reply, times)).ask(judgeRequest())).toMatchObject({
      status: 'replied',
      attempts: times + 1,
    });
    await judge.close();
    stub.requests.length = 0;
    const given = await build(failing(reply, times + 1)).ask(judgeRequest());
    expect(given).toMatchObject({ status: 'failed', attempts: times + 1 });
    expect(stub.requests).toHaveLength(times + 1);
  });

  it.each([
    ['ThrottlingException', 429, 'throttled'],
    ['ServiceUnavailableException', 503, 'unavailable'],
    ['ModelTimeoutException', 408, 'timeout'],
    ['ValidationException', 400, 'bad-request'],
    ['ServiceQuotaExceededException', 400, 'bad-request'],
    ['AccessDeniedException', 403, 'access-denied'],
    ['ResourceNotFoundException', 404, 'access-denied'],
    ['UnrecognizedClientException', 403, 'access-denied'],
    ['ExpiredTokenException', 403, 'access-denied'],
    ['SomethingNewException', 418, 'bad-request'],
  ])('%s is a judge failure with its own cause', async (name, status, cause) => {
    const reply = await build(() => exception(name, status)).ask(judgeRequest());
    expect(reply).toMatchObject({ status: 'failed', cause, usage: null, cost: { status: 'metered', usd: 0 } });
    expect(reply).toHaveProperty('message', expect.stringContaining(`it was ${name}`));
  });

  it.each([
    ['ValidationException', 400],
    ['AccessDeniedException', 403],
    ['ModelErrorException', 424],
  ])('%s about the request is not tried again', async (name, status) => {
    await build(() => exception(name, status, { originalStatusCode: 400 })).ask(judgeRequest());
    expect(stub.requests).toHaveLength(1);
  });

  it('throttling is waited out, and is none of the retries', async () => {
    const reply = await build(failing(exception('ThrottlingException', 429), 7)).ask(judgeRequest());
    expect(reply).toMatchObject({ status: 'replied', attempts: 8, throttled: 7 });
  });

  it('throttling for good is a failure once nobody was answered for two minutes', async () => {
    const startMs = clock.now();
    const reply = await build(() => exception('ThrottlingException', 429)).ask(judgeRequest());
    expect(reply).toMatchObject({ status: 'failed', cause: 'throttled' });
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(120_000);
    expect(stub.requests.length).toBeLessThan(20);
  });

  it('says what to check when Claude is not enabled', async () => {
    const reply = await build(() => exception('ResourceNotFoundException', 404), HAIKU).ask(judgeRequest());
    expect(reply).toHaveProperty('message', expect.stringContaining('use-case form'));
  });

  it('waits with full jitter, longer each time', async () => {
    await build(failing(exception('ModelNotReadyException', 429), 7)).ask(judgeRequest());
    expect(clock.slept).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it('is a timeout when no reply comes, tried once more', async () => {
    const reply = await build(() => 'hang', NOVA, { timeout_s: 0.05 }).ask(judgeRequest());
    expect(reply).toMatchObject({ status: 'failed', cause: 'timeout', attempts: 2 });
  });

  it('ends at once when the run stops, and asks no more', async () => {
    const stop = new AbortController();
    const answering: Answering = () => {
      stop.abort();
      return 'hang';
    };
    const reply = await build(answering).ask(judgeRequest({ signal: stop.signal }));
    expect(reply).toMatchObject({ status: 'failed', cause: 'unavailable' });
    expect(stub.requests).toHaveLength(1);
  });
});

describe('a model that refuses what the table says', () => {
  const refusing =
    (refuses: (body: StubBody) => boolean, message: string): Answering =>
    (request, number) =>
      refuses(request.body)
        ? { status: 400, headers: { 'x-amzn-errortype': 'ValidationException' }, body: { message } }
        : obliging(request, number);
  type StubBody = { outputConfig?: object; toolConfig?: object; inferenceConfig: { temperature?: number } };

  it.each([
    {
      name: 'schemas',
      model: HAIKU,
      refuses: (body: StubBody) => !!body.outputConfig,
      message: 'outputConfig is not supported',
      channel: 'tool',
    },
    {
      name: 'tools',
      model: NOVA,
      refuses: (body: StubBody) => !!body.toolConfig,
      message: 'toolChoice.tool is not supported',
      channel: 'text',
    },
    {
      name: 'the temperature',
      model: NOVA,
      refuses: (body: StubBody) => body.inferenceConfig.temperature !== undefined,
      message: '`temperature` is deprecated for this model.',
      channel: 'tool',
    },
  ])('without $name is asked in the next way, once a run', async ({ model, refuses, message, channel }) => {
    build(refusing(refuses, message), model);
    const first = await judge.ask(judgeRequest());
    expect(readVerdicts(first, contractQuestion, '0123456789abcdef').ok).toBe(true);
    expect(first.attempts).toBe(2);
    expect((await judge.ask(judgeRequest())).attempts).toBe(1);
    expect(judge.channel).toBe(channel);
  });
});

describe('the check before a run', () => {
  const withoutAws = async (client: object, hasApiKey = false) => {
    const saved = { ...process.env };
    for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
    Object.assign(process.env, {
      AWS_CONFIG_FILE: '/nonexistent',
      AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
      AWS_EC2_METADATA_DISABLED: 'true',
    });
    build(obliging);
    const config = { type: 'bedrock' as const, model: NOVA, max_tokens: 700, timeout_s: 60, temperature: 0 };
    judge = new BedrockJudge(config, { clock, random: () => 0, prices: PRICES, client, hasApiKey });
    try {
      return await judge.check().then(
        () => 'fine',
        (error: Error) => `${error.name}: ${error.message}`,
      );
    } finally {
      process.env = saved;
    }
  };
  it('names a missing region and how to give it', async () => {
    expect(await withoutAws({})).toMatch(/^ConfigError: field judge\.region: .*AWS_REGION/);
  });
  it('names missing credentials and how to give them', async () => {
    expect(await withoutAws({ region: 'us-east-1' })).toMatch(
      /^ConfigError: field judge: no AWS credentials.*AWS_PROFILE/,
    );
  });
  it('needs no credentials with an API key', async () => {
    expect(await withoutAws({ region: 'us-east-1' }, true)).toBe('fine');
  });
});
