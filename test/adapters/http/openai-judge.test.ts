import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenAiJudge, type OpenAiJudgeConfig } from '../../../src/adapters/http/openai-judge.ts';
import { PRICES, withPrices } from '../../../src/core/cost/price-table.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { readVerdicts } from '../../../src/core/judging/read-verdicts.ts';
import { InstantClock } from '../../contracts/instant-clock.ts';
import { anyVerdict, contractQuestion, judgeContract, judgeRequest } from '../../contracts/judge.ts';
import { type Answering, JsonStub, type StubReply } from '../json-stub.ts';

const KEY = 'sk-test-4711-secret';
const verdict = anyVerdict(contractQuestion.asks);
const price = { input: 1, output: 2, cache_read: 0.1, cache_write: 0 };

function completion(message: object, finish_reason: string | null = 'stop', usage: object | null = null): StubReply {
  return {
    status: 200,
    body: { id: 'c', choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }], usage },
  };
}
const toolCall = (args: unknown) => ({
  content: null,
  tool_calls: [{ type: 'function', function: { name: 'submit_verdict', arguments: args } }],
});
const obliging: Answering = ({ body }) => {
  if (body.response_format) return completion({ content: JSON.stringify(verdict) });
  if (body.tools) return completion(toolCall(JSON.stringify(verdict)), 'tool_calls');
  const nonce = /"nonce" is "(\w+)"/.exec(body.messages[1].content)?.[1];
  return completion({ content: `<think>{</think>Sure: ${JSON.stringify({ nonce, ...verdict })}` });
};
const refusing =
  (...fields: string[]): Answering =>
  (request, number) => {
    const refused = fields.find((field) => request.body[field] !== undefined);
    return refused === undefined
      ? obliging(request, number)
      : { status: 400, body: { error: { message: `Unsupported parameter: '${refused}'.`, code: 'unsupported' } } };
  };

let stub: JsonStub;
let url: string;
let clock: InstantClock;
let judge: OpenAiJudge;

function build(answering: Answering, over: Partial<OpenAiJudgeConfig> = {}): OpenAiJudge {
  stub.answering = answering;
  const config = {
    type: 'openai' as const,
    url: `${url}/v1`,
    model: 'local',
    max_tokens: 700,
    timeout_s: 60,
    temperature: 0,
  };
  judge = new OpenAiJudge(
    { ...config, ...over },
    {
      clock,
      random: () => 0.5,
      prices: withPrices(PRICES, { date: '2026-11-30', source: '', models: { priced: price } }),
      secrets: {
        read: async (names) => {
          if (names.some((name) => name !== 'JUDGE_KEY')) throw new ConfigError([{ message: `no secret ${names}` }]);
          return new Map([['JUDGE_KEY', KEY]]);
        },
      },
    },
  );
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

judgeContract('OpenAiJudge', async () => ({ judge: build(obliging) }));

describe('the request', () => {
  it('asks for the schema, with the key of the secret', async () => {
    const request = judgeRequest();
    await build(obliging, { api_key: '{{secrets.JUDGE_KEY}}', url: `${url}/v1/` }).ask(request);
    expect(stub.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: {
        model: 'local',
        max_tokens: 700,
        temperature: 0,
        messages: [
          { role: 'system', content: request.prompt.system },
          { role: 'user', content: request.prompt.user },
        ],
        response_format: { type: 'json_schema', json_schema: { schema: request.prompt.schema, strict: true } },
      },
    });
  });
  it('sends no authorization without a key', async () => {
    await build(obliging).ask(judgeRequest());
    expect(stub.requests[0]?.headers.authorization).toBeUndefined();
  });

  it.each([
    { name: 'a schema', fields: ['response_format'], channel: 'tool', attempts: 2 },
    { name: 'a schema and tools', fields: ['response_format', 'tools'], channel: 'text', attempts: 3 },
    { name: 'a temperature', fields: ['temperature'], channel: 'schema', attempts: 2 },
  ])('does without $name where the server refuses it, once a run', async ({ fields, channel, attempts }) => {
    build(refusing(...fields));
    const first = await judge.ask(judgeRequest());
    expect(readVerdicts(first, contractQuestion, '0123456789abcdef')).toMatchObject({ ok: true });
    expect(first.attempts).toBe(attempts);
    expect((await judge.ask(judgeRequest())).attempts).toBe(1);
    expect(judge.channel).toBe(channel);
  });
  it('uses the newer name of the limit where the old one is refused', async () => {
    const answering: Answering = (request, number) =>
      request.body.max_tokens === undefined
        ? obliging(request, number)
        : { status: 400, body: { error: { message: "Use 'max_completion_tokens' instead of 'max_tokens'." } } };
    expect(await build(answering).ask(judgeRequest())).toMatchObject({ status: 'replied', schemaText: true });
  });
  it('gives up when nothing is left to do without', async () => {
    const reply = await build(() => ({ status: 400, body: { error: 'no such model' } })).ask(judgeRequest());
    expect(reply).toMatchObject({
      status: 'failed',
      cause: 'bad-request',
      message: 'HTTP 400: no such model',
      attempts: 3,
    });
  });
});

describe('the reply', () => {
  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool_calls', 'tool_use'],
    ['content_filter', 'content_filtered'],
    ['eos', 'eos'],
    [null, 'missing'],
  ])('that finished with %s stopped with %s', async (finish, stopReason) => {
    const reply = await build(() => completion({ content: '{}' }, finish)).ask(judgeRequest());
    expect(reply).toMatchObject({ status: 'replied', stopReason });
  });
  it('that is a refusal is no verdict', async () => {
    const reply = await build(() => completion({ content: null, refusal: 'I cannot.' })).ask(judgeRequest());
    expect(readVerdicts(reply, contractQuestion, '')).toMatchObject({ cause: 'stop-reason' });
  });
  it('may call the tool although it was not asked to, with an object or text', async () => {
    for (const args of [verdict, JSON.stringify(verdict)]) {
      const reply = await build(() => completion(toolCall(args), 'tool_calls')).ask(judgeRequest());
      expect(readVerdicts(reply, contractQuestion, '').ok).toBe(true);
    }
  });
  it('with arguments that are no JSON is unparsable', async () => {
    const reply = await build(() => completion(toolCall('{"correct'), 'tool_calls')).ask(judgeRequest());
    expect(readVerdicts(reply, contractQuestion, '')).toMatchObject({ cause: 'unparsable' });
  });
  it.each([['hello'], ['{}'], [{ choices: [] }], [{ choices: [{ message: null }] }], [[]]])(
    '%j is no chat completion, and is not asked for again',
    async (body) => {
      const reply = await build(() => ({ status: 200, body })).ask(judgeRequest());
      expect(reply).toMatchObject({ status: 'failed', cause: 'unavailable', attempts: 1 });
    },
  );

  const usage = { prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 400 } };
  it('counts cached tokens once', async () => {
    const reply = await build(() => completion({ content: '{}' }, 'stop', usage), { model: 'priced' }).ask(
      judgeRequest(),
    );
    expect(reply.usage).toEqual({ input: 600, output: 50, cache_read: 400, cache_write: 0 });
    expect(reply.cost).toEqual({ status: 'metered', usd: (600 + 50 * 2 + 400 * 0.1) / 1e6 });
  });
  it('is not metered without a price', async () => {
    const reply = await build(() => completion({ content: '{}' }, 'stop', usage)).ask(judgeRequest());
    expect(reply.cost).toEqual({ status: 'not_metered' });
  });
  it('has no usage when the server reports none, or nonsense', async () => {
    for (const none of [null, {}, { prompt_tokens: -1 }]) {
      const reply = await build(() => completion({ content: '{}' }, 'stop', none)).ask(judgeRequest());
      expect(reply).toMatchObject({ status: 'replied', usage: null });
    }
  });
});

describe('failures', () => {
  it.each([
    { status: 500, times: 2, cause: 'unavailable' },
    { status: 503, times: 2, cause: 'unavailable' },
    { status: 408, times: 1, cause: 'timeout' },
    { status: 401, times: 0, cause: 'access-denied' },
    { status: 403, times: 0, cause: 'access-denied' },
    { status: 404, times: 0, cause: 'bad-request' },
    { status: 307, times: 0, cause: 'bad-request' },
  ])('HTTP $status is tried again $times times', async ({ status, times, cause }) => {
    const reply = await build(() => ({ status, body: { error: { message: 'no' } } })).ask(judgeRequest());
    expect(reply).toMatchObject({ status: 'failed', cause, attempts: times + 1, cost: { status: 'not_metered' } });
  });
  it.each([
    { header: '3', waited: 3000 },
    { header: 'Mon, 30 Nov 2026 12:00:04 GMT', waited: 4000 },
    { header: 'soon', waited: 0 },
    { header: '86400', waited: 60_000 },
  ])('a Retry-After of $header is waited for', async ({ header, waited }) => {
    const answering: Answering = (request, number) =>
      number === 0 ? { status: 429, headers: { 'retry-after': header }, body: {} } : obliging(request, number);
    await build(answering).ask(judgeRequest());
    const slept = clock.slept.reduce((sum, ms) => sum + ms, 0);
    expect(slept).toBeGreaterThanOrEqual(waited);
    // One a second was sent: half of that is the pace after the throttle.
    expect(slept).toBeLessThanOrEqual(Math.max(waited, 2000));
  });
  it('of an account without credit are not retried', async () => {
    const body = { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } };
    expect(await build(() => ({ status: 429, body })).ask(judgeRequest())).toMatchObject({ attempts: 1 });
  });
  it('of the connection are retried', async () => {
    const reply = await build((request, number) => (number < 2 ? null : obliging(request, number))).ask(judgeRequest());
    expect(reply).toMatchObject({ status: 'replied', attempts: 3 });
  });
  it('name the address when nothing listens there', async () => {
    const reply = await build(obliging, { url: 'http://127.0.0.1:1/v1' }).ask(judgeRequest());
    expect(reply).toMatchObject({ status: 'failed', cause: 'unavailable', attempts: 3 });
    expect(reply).toHaveProperty('message', expect.stringContaining('http://127.0.0.1:1'));
  });
  it('never show the key', async () => {
    const body = { error: { message: `Incorrect API key provided: ${KEY}` } };
    const reply = await build(() => ({ status: 401, body }), { api_key: '{{ secrets.JUDGE_KEY }}' }).ask(
      judgeRequest(),
    );
    expect(JSON.stringify(reply)).not.toContain(KEY);
    expect(reply).toHaveProperty('message', expect.stringContaining('Incorrect API key'));
  });
  it('are a timeout when no reply comes', async () => {
    const reply = await build(() => 'hang', { timeout_s: 0.05 }).ask(judgeRequest());
    expect(reply).toMatchObject({ status: 'failed', cause: 'timeout', attempts: 2 });
  });
});

describe('the check before a run', () => {
  it.each(['not a url', 'ftp://host/v1', 'file:///etc/passwd', 'http://user:pass@host/v1', ''])(
    'refuses the URL "%s"',
    async (bad) => {
      await expect(build(obliging, { url: bad }).check()).rejects.toThrow(ConfigError);
    },
  );
  it('finds a missing secret', async () => {
    await expect(build(obliging, { api_key: '{{secrets.OTHER}}' }).check()).rejects.toThrow('OTHER');
  });
  it('sends nothing', async () => {
    await build(obliging).check();
    expect(stub.requests).toHaveLength(0);
  });
});
