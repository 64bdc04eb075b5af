import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/core/json.ts';
import { passagesFrom, trajectoryFrom, usageFrom } from '../../../src/core/template/answer-parts.ts';
import { type AnswerPathsConfig, compileAnswerPaths } from '../../../src/core/template/read-answer.ts';

function read(reply: unknown, config: Partial<AnswerPathsConfig> = {}) {
  const priceUsage = (_: string, usage: { output: number }) => ({ status: 'metered', usd: usage.output / 10 }) as const;
  const options = { where: 'targets.0', fallbackModel: 'http', priceUsage };
  return compileAnswerPaths({ response_path: 'answer', ...config }, options).read(reply as JsonValue);
}

describe('compileAnswerPaths', () => {
  it.each([
    { answer: 'text', text: 'text' },
    { answer: '', text: '' },
    { answer: 0, text: '0' },
    { answer: false, text: 'false' },
    { answer: { b: 1, a: 'x' }, text: '{"a":"x","b":1}' },
    { answer: [], text: '[]' },
  ])('$answer is the answer $text', ({ answer, text }) => {
    expect(read({ answer }).outcome).toEqual({ ok: true, answer: { text } });
  });

  it.each([{}, { answer: null }, [], 'text', null])('%j holds no answer', (reply) => {
    expect(read(reply).outcome).toMatchObject({ ok: false, cause: 'path-not-found' });
  });

  it.each([
    { name: 'its final answer', trajectory: { steps: [], final_answer: '42' }, text: '42' },
    { name: 'its last answer step', trajectory: { steps: [{ type: 'answer', content: '42' }] }, text: '42' },
    {
      name: 'nothing, when it ends without one',
      trajectory: { steps: [{ type: 'thought', content: '42' }] },
      text: '',
    },
  ])('of a whole reply with steps in it takes $name', ({ trajectory, text }) => {
    const reply = { run: trajectory, note: '42' };
    const { outcome } = read(reply, { response_path: '$', trajectory_path: 'run' });
    expect(outcome).toMatchObject({ ok: true, answer: { text } });
  });

  it.each([
    '{"answer": 1e999}',
    '{"answer": {"a": [-1e999]}}',
    '{"answer": "x", "docs": [{"z": 1e999}]}',
    '{"answer": "x", "run": [{"type": "tool_call", "tool_call": {"name": "t", "arguments": {"a": 1e999}}}]}',
  ])('%s is a failure of the row: it cannot be kept as JSON', (reply) => {
    const paths = {
      ...(reply.includes('docs') && { contexts_path: 'docs' }),
      ...(reply.includes('run') && { trajectory_path: 'run' }),
    };
    const { outcome } = read(JSON.parse(reply), paths);
    expect(outcome).toMatchObject({ ok: false, message: expect.stringMatching(/JSON/) });
  });

  it('takes passages and steps beside the answer', () => {
    const reply = {
      answer: 'a',
      docs: [
        'one',
        { text: 'two', score: 1 },
        { content: 'three' },
        { page_content: 'four' },
        { z: 1 },
        '',
        null,
        '  ',
      ],
      steps: [{ type: 'answer', content: 'a' }],
    };
    expect(read(reply, { contexts_path: 'docs', trajectory_path: 'steps' }).outcome).toEqual({
      ok: true,
      answer: {
        text: 'a',
        contexts: ['one', 'two', 'three', 'four', '{"z":1}'],
        trajectory: { steps: [{ type: 'answer', content: 'a' }] },
      },
    });
  });

  it.each([
    { config: { contexts_path: 'docs' }, reply: { answer: 'a' }, says: 'docs' },
    { config: { contexts_path: 'docs' }, reply: { answer: 'a', docs: 7 }, says: 'list of passages' },
    { config: { contexts_path: 'docs' }, reply: { answer: 'a', docs: null }, says: 'docs' },
    { config: { trajectory_path: 'steps' }, reply: { answer: 'a' }, says: 'steps' },
    { config: { trajectory_path: 'steps' }, reply: { answer: 'a', steps: [{ type: 'nope' }] }, says: 'no trajectory' },
  ])('fails the row when $config leads nowhere in $reply', ({ config, reply, says }) => {
    const { outcome } = read(reply, config);
    expect(outcome).toMatchObject({ ok: false, cause: 'path-not-found', message: expect.stringContaining(says) });
  });

  it.each(['boom', ''])('a trajectory with the error %j is a crash, with or without an answer', (error) => {
    const outcome = { ok: false, cause: 'crashed', answer: { trajectory: { steps: [], error } } };
    expect(read({ answer: 'a', t: { steps: [], error } }, { trajectory_path: 't' }).outcome).toMatchObject(outcome);
    expect(read({ t: { steps: [], error } }, { trajectory_path: 't' }).outcome).toMatchObject(outcome);
  });

  it.each([
    { config: {}, extra: {}, cost: { status: 'not_metered' } },
    { config: { cost_path: 'usd' }, extra: { usd: 0.25 }, cost: { status: 'metered', usd: 0.25 } },
    { config: { cost_path: 'usd' }, extra: { usd: '0.25' }, cost: { status: 'metered', usd: 0.25 } },
    { config: { cost_path: 'usd' }, extra: { usd: 0 }, cost: { status: 'metered', usd: 0 } },
    { config: { cost_path: 'usd' }, extra: { usd: -1 }, cost: { status: 'unknown', model: 'http' } },
    { config: { cost_path: 'usd' }, extra: { usd: '' }, cost: { status: 'unknown', model: 'http' } },
    { config: { cost_path: 'usd' }, extra: { model: 'm-1' }, cost: { status: 'unknown', model: 'm-1' } },
    { config: { usage_path: 'usage' }, extra: {}, cost: { status: 'unknown', model: 'http' } },
    {
      config: { usage_path: 'usage' },
      extra: { usage: { input_tokens: 1, output_tokens: 5 } },
      cost: { status: 'metered', usd: 0.5 },
    },
  ])('costs $cost with $config and $extra', ({ config, extra, cost }) => {
    expect(read({ answer: 'a', ...extra }, config).cost).toEqual(cost);
  });

  it('reports what was spent even when the answer is not where it should be', () => {
    const { usage, cost } = read({ usage: { input: 3, output: 2 } }, { usage_path: 'usage' });
    expect(usage).toEqual({ input: 3, output: 2, cache_read: 0, cache_write: 0 });
    expect(cost).toEqual({ status: 'metered', usd: 0.2 });
  });
});

describe('usageFrom', () => {
  const tokens = (input: number, output: number, cache_read = 0, cache_write = 0) => ({
    input,
    output,
    cache_read,
    cache_write,
  });
  it.each([
    { name: 'OpenAI', value: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 }, usage: tokens(10, 4) },
    {
      name: 'OpenAI with cached tokens within the prompt',
      value: { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 6 } },
      usage: tokens(4, 4, 6),
    },
    {
      name: 'OpenAI responses',
      value: { input_tokens: 10, output_tokens: 4, input_tokens_details: { cached_tokens: 6 } },
      usage: tokens(4, 4, 6),
    },
    {
      name: 'Anthropic with cached tokens beside the input',
      value: { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 6, cache_creation_input_tokens: 2 },
      usage: tokens(10, 4, 6, 2),
    },
    {
      name: 'Bedrock',
      value: { inputTokens: 10, outputTokens: 4, totalTokens: 14, cacheReadInputTokens: 6, cacheWriteInputTokens: 2 },
      usage: tokens(10, 4, 6, 2),
    },
    { name: 'no output', value: { input_tokens: 10 }, usage: null },
    { name: 'a broken count', value: { input_tokens: -1, output_tokens: 4 }, usage: null },
    { name: 'text', value: '10', usage: null },
  ])('reads $name', ({ value, usage }) => {
    expect(usageFrom(value as JsonValue)).toEqual(usage);
  });
});

describe('passagesFrom', () => {
  it.each([
    { value: 'one passage', passages: ['one passage'] },
    { value: '["a","b"]', passages: ['a', 'b'] },
    { value: '[not json', passages: ['[not json'] },
    { value: '', passages: [] },
    { value: [], passages: [] },
    { value: [1], passages: ['1'] },
    { value: { text: 'a' }, passages: undefined },
    { value: 3, passages: undefined },
  ])('$value gives $passages', ({ value, passages }) => {
    expect(passagesFrom(value as JsonValue)).toEqual(passages);
  });
});

describe('trajectoryFrom', () => {
  const steps = [{ type: 'thought', content: 'x' }];
  it.each([{ steps }, steps, JSON.stringify({ steps }), JSON.stringify(steps)])('reads %j', (value) => {
    expect(trajectoryFrom(value as JsonValue)).toEqual({ steps });
  });
  it.each(['no json', 7, {}, [{ type: 'walk' }], [1]])('says what is wrong with %j', (value) => {
    expect(trajectoryFrom(value as JsonValue)).toEqual({ fault: expect.stringMatching(/\w/) });
  });
});
