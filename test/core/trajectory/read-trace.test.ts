import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import { TrajectorySchema } from '../../../src/core/schemas/trajectory.ts';
import { trajectoryFrom } from '../../../src/core/template/answer-parts.ts';
import { tracesFromSpans } from '../../../src/core/trajectory/from-spans.ts';
import { readTrace } from '../../../src/core/trajectory/read-trace.ts';
import type { Trace } from '../../../src/core/trajectory/trace.ts';

function read(value: JsonValue): Trace {
  const trace = readTrace(value);
  if (trace === null || 'fault' in trace) throw new Error(trace?.fault ?? 'no trace');
  expect(TrajectorySchema.safeParse(trace.trajectory).success).toBe(true);
  return trace;
}

/** The same conversation in each form: a thought with two calls, of which the second fails, then the answer. */
const EXPECTED = {
  task: 'Which region is my-bucket in?',
  steps: [
    { type: 'thought', content: 'I look it up.' },
    {
      type: 'tool_call',
      tool_call: { name: 'search', arguments: { query: 'my-bucket' }, result: { region: 'us-west-2' } },
    },
    { type: 'tool_call', tool_call: { name: 'audit', arguments: {}, error: 'AccessDenied' } },
    { type: 'answer', content: 'It is in us-west-2.' },
  ],
};

const OPENAI: JsonObject[] = [
  { role: 'system', content: 'You help.' },
  { role: 'user', content: EXPECTED.task },
  {
    role: 'assistant',
    content: 'I look it up.',
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'search', arguments: '{"query":"my-bucket"}' } },
      { id: 'c2', type: 'function', function: { name: 'audit', arguments: '' } },
    ],
  },
  // Results may come in any order.
  { role: 'tool', tool_call_id: 'c2', content: 'AccessDenied', is_error: true },
  { role: 'tool', tool_call_id: 'c1', content: '{"region":"us-west-2"}' },
  { role: 'assistant', content: 'It is in us-west-2.' },
];

const RESPONSES: JsonObject[] = [
  { role: 'user', content: [{ type: 'input_text', text: EXPECTED.task }] },
  { type: 'reasoning', id: 'r1', summary: [{ type: 'summary_text', text: 'I look it up.' }] },
  { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{"query":"my-bucket"}' },
  { type: 'function_call_output', call_id: 'c1', output: '{"region":"us-west-2"}' },
  { type: 'web_search_call', id: 'w1', status: 'completed' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is in us-west-2.' }] },
];

const LANGCHAIN: JsonObject[] = [
  { type: 'system', content: 'You help.' },
  { type: 'human', content: EXPECTED.task },
  {
    type: 'ai',
    content: [
      { type: 'text', text: 'I look it up.' },
      { type: 'tool_use', id: 'c1', name: 'search', input: { query: 'my-bucket' } },
    ],
    tool_calls: [
      { name: 'search', args: { query: 'my-bucket' }, id: 'c1', type: 'tool_call' },
      { name: 'audit', args: {}, id: 'c2', type: 'tool_call' },
    ],
  },
  { type: 'tool', name: 'search', tool_call_id: 'c1', content: '{"region":"us-west-2"}', status: 'success' },
  { type: 'tool', name: 'audit', tool_call_id: 'c2', content: 'AccessDenied', status: 'error' },
  { type: 'ai', content: 'It is in us-west-2.', tool_calls: [] },
];

const CLASS: Record<string, string> = {
  system: 'SystemMessage',
  human: 'HumanMessage',
  ai: 'AIMessage',
  tool: 'ToolMessage',
};
const dumped = (message: JsonObject): JsonObject => {
  const { type, ...kwargs } = message;
  return { lc: 1, type: 'constructor', id: ['langchain', 'schema', 'messages', CLASS[String(type)] ?? ''], kwargs };
};

const ANTHROPIC: JsonObject[] = [
  { role: 'user', content: EXPECTED.task },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look it up.' },
      { type: 'tool_use', id: 'c1', name: 'search', input: { query: 'my-bucket' } },
      { type: 'tool_use', id: 'c2', name: 'audit', input: {} },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '{"region":"us-west-2"}' }] },
      { type: 'tool_result', tool_use_id: 'c2', content: 'AccessDenied', is_error: true },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'It is in us-west-2.' }] },
];

const CONVERSE: JsonObject[] = [
  { role: 'user', content: [{ text: EXPECTED.task }] },
  {
    role: 'assistant',
    content: [
      { reasoningContent: { reasoningText: { text: 'I look it up.' } } },
      { toolUse: { toolUseId: 'c1', name: 'search', input: { query: 'my-bucket' } } },
      { toolUse: { toolUseId: 'c2', name: 'audit', input: {} } },
    ],
  },
  {
    role: 'user',
    content: [
      { toolResult: { toolUseId: 'c1', content: [{ json: { region: 'us-west-2' } }] } },
      { toolResult: { toolUseId: 'c2', content: [{ text: 'AccessDenied' }], status: 'error' } },
    ],
  },
  { role: 'assistant', content: [{ text: 'It is in us-west-2.' }] },
];

describe('message lists', () => {
  it.each([
    { form: 'OpenAI', messages: OPENAI },
    { form: 'LangChain', messages: LANGCHAIN },
    { form: 'LangChain, dumped', messages: LANGCHAIN.map(dumped) },
    { form: 'LangChain, as dicts', messages: LANGCHAIN.map(({ type = '', ...data }) => ({ type, data })) },
    { form: 'Anthropic', messages: ANTHROPIC },
    { form: 'Bedrock Converse', messages: CONVERSE },
  ])('$form', ({ messages }) => {
    const { task, trajectory } = read(messages);
    expect(task).toBe(EXPECTED.task);
    expect(trajectory.steps).toEqual(EXPECTED.steps);
    expect(trajectory.final_answer).toBe('It is in us-west-2.');
  });

  it('OpenAI Responses, with items of other kinds between', () => {
    const { task, trajectory } = read(RESPONSES);
    expect(task).toBe(EXPECTED.task);
    expect(trajectory.steps).toEqual([EXPECTED.steps[0], EXPECTED.steps[1], EXPECTED.steps[3]]);
  });

  it('under the key messages, as an agent keeps its state', () => {
    expect(read({ messages: OPENAI, structured_response: null }).trajectory.steps).toEqual(EXPECTED.steps);
    expect(trajectoryFrom({ messages: OPENAI })).toMatchObject({ steps: EXPECTED.steps });
    expect(trajectoryFrom(JSON.stringify(OPENAI))).toMatchObject({ steps: EXPECTED.steps });
  });

  it('a further user message is a step, not the task', () => {
    const { task, trajectory } = read([
      { role: 'user', content: 'Book a flight.' },
      { role: 'assistant', content: 'Where to?' },
      { role: 'user', content: 'Rome.' },
      { role: 'assistant', content: 'Booked.' },
    ]);
    expect(task).toBe('Book a flight.');
    expect(trajectory.steps.map((step) => step.content)).toEqual(['Where to?', '[user] Rome.', 'Booked.']);
    expect(trajectory.final_answer).toBe('Booked.');
  });

  it('an agent that stopped at a call gave no answer', () => {
    const { trajectory } = read([
      ...OPENAI,
      { role: 'assistant', content: null, tool_calls: [{ id: 'c3', function: { name: 'x', arguments: '{}' } }] },
    ]);
    expect(trajectory.final_answer).toBeNull();
  });

  it('a result without a call is kept as an observation', () => {
    const { trajectory } = read([
      { role: 'user', content: 'q' },
      { role: 'tool', tool_call_id: 'zz', content: 'lost' },
    ]);
    expect(trajectory.steps).toEqual([{ type: 'observation', content: 'lost' }]);
  });

  it('arguments that are no JSON stay what the model wrote', () => {
    const { trajectory } = read([
      { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{"a":' } }] },
    ]);
    expect(trajectory.steps[0]?.tool_call?.arguments).toBe('{"a":');
  });

  it('old function calls find their results by name', () => {
    const { trajectory } = read([
      { role: 'user', content: 'q' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: '7' },
    ]);
    expect(trajectory.steps[0]?.tool_call).toEqual({ name: 'f', arguments: {}, result: '7' });
  });

  it('never throws, whatever the messages hold', () => {
    const anything = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
    const part = fc.oneof(
      anything,
      fc.record({
        type: fc.constantFrom('text', 'tool_use', 'tool_result', 'reasoning'),
        text: anything,
        id: anything,
        name: anything,
        content: anything,
      }),
    );
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'tool', 'system'),
      content: fc.oneof(anything, fc.array(part)),
      tool_calls: anything,
      tool_call_id: anything,
    });
    fc.assert(
      fc.property(fc.array(message as fc.Arbitrary<JsonObject>, { minLength: 1 }), (messages) => {
        expect(TrajectorySchema.safeParse(read(messages).trajectory).success).toBe(true);
      }),
    );
  });
});

const attributes = (values: JsonObject): JsonValue =>
  Object.entries(values).map(([key, value]): JsonObject => {
    if (typeof value === 'number') return { key, value: { intValue: String(value) } };
    return { key, value: { stringValue: typeof value === 'string' ? value : JSON.stringify(value) } };
  });
const span = (spanId: string, at: number, values: JsonObject, extra: JsonObject = {}): JsonObject => ({
  traceId: 't1',
  spanId,
  parentSpanId: 'root',
  name: spanId,
  startTimeUnixNano: String(at * 1e6),
  endTimeUnixNano: String((at + 5) * 1e6),
  attributes: attributes(values),
  ...extra,
});
const otlp = (...spans: JsonObject[]): JsonValue => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

const CHAT_1 = span('chat-1', 1000, {
  'gen_ai.operation.name': 'chat',
  'gen_ai.usage.input_tokens': 10,
  'gen_ai.usage.output_tokens': 4,
  'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: EXPECTED.task }] }],
  'gen_ai.output.messages': [
    {
      role: 'assistant',
      parts: [
        { type: 'text', content: 'I look it up.' },
        { type: 'tool_call', id: 'c1', name: 'search', arguments: { query: 'my-bucket' } },
        { type: 'tool_call', id: 'c2', name: 'audit', arguments: {} },
      ],
    },
  ],
});
const TOOL_1 = span('tool-1', 1010, {
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'search',
  'gen_ai.tool.call.id': 'c1',
  'gen_ai.tool.call.arguments': '{"query":"my-bucket"}',
  'gen_ai.tool.call.result': '{"region":"us-west-2"}',
});
const TOOL_2 = span(
  'tool-2',
  1020,
  { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'audit', 'gen_ai.tool.call.id': 'c2' },
  { status: { code: 2, message: 'AccessDenied' } },
);
const CHAT_2 = span('chat-2', 1030, {
  'gen_ai.operation.name': 'chat',
  'gen_ai.output.messages': [
    { role: 'assistant', parts: [{ type: 'text', content: 'It is in us-west-2.' }], finish_reason: 'stop' },
  ],
});
const ROOT = span(
  'root',
  990,
  { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'a' },
  { parentSpanId: '' },
);

describe('OpenTelemetry spans', () => {
  const core = (trace: Trace) =>
    trace.trajectory.steps.map(({ type, content, tool_call }) => ({
      type,
      ...(content === undefined ? {} : { content }),
      ...(tool_call ? { tool_call } : {}),
    }));

  it('model and tool spans make one call a step, in order of time', () => {
    const trace = read(otlp(CHAT_2, TOOL_2, ROOT, TOOL_1, CHAT_1));
    expect(trace.task).toBe(EXPECTED.task);
    expect(core(trace)).toEqual(EXPECTED.steps);
    expect(trace.trajectory.final_answer).toBe('It is in us-west-2.');
    expect(trace.trajectory.steps[0]).toMatchObject({ tokens: 14, latency_ms: 5 });
  });

  it('without tool spans, results come from the next request', () => {
    const input = [
      { role: 'user', parts: [{ type: 'text', content: EXPECTED.task }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: { region: 'us-west-2' } }] },
    ];
    const next = span('chat-2', 1030, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': input,
      'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'It is in us-west-2.' }] }],
    });
    expect(core(read(otlp(CHAT_1, next)))[1]).toEqual(EXPECTED.steps[1]);
  });

  it('without recorded messages, tools and answer come from their own spans', () => {
    const root = span('root', 990, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'q' }] }],
      'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'done' }] }],
    });
    const chat = span('chat-1', 1000, { 'gen_ai.operation.name': 'chat' });
    const trace = read(otlp(root, chat, TOOL_1));
    expect(trace).toMatchObject({ task: 'q', trajectory: { final_answer: 'done' } });
    expect(core(trace).map((step) => step.type)).toEqual(['tool_call', 'answer']);
  });

  it('as the Python SDK prints them', () => {
    const plain = (id: string, at: string, values: JsonObject): JsonObject => ({
      name: id,
      context: { trace_id: '0xabc', span_id: id },
      parent_id: null,
      start_time: `2026-01-01T00:00:0${at}Z`,
      end_time: `2026-01-01T00:00:0${at}.500Z`,
      status: { status_code: 'UNSET' },
      attributes: values,
    });
    const spans = [
      plain('execute_tool search', '1', {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.call.arguments': '{"a":1}',
      }),
      plain('chat m', '2', {
        'gen_ai.operation.name': 'chat',
        'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"x"}]}]',
      }),
    ];
    expect(core(read(spans))).toEqual([
      { type: 'tool_call', tool_call: { name: 'search', arguments: { a: 1 } } },
      { type: 'answer', content: 'x' },
    ]);
  });

  it('a failed agent span is a crash; a failed tool is not', () => {
    const failed = { ...ROOT, status: { code: 2, message: 'out of budget' } };
    expect(read(otlp(failed, CHAT_1)).trajectory.error).toBe('out of budget');
    expect(read(otlp(ROOT, CHAT_1, TOOL_2)).trajectory.error).toBeUndefined();
  });

  it('spans of several traces are told apart, and are no single trajectory', () => {
    const other = { ...CHAT_2, traceId: 't2' };
    expect(tracesFromSpans(otlp(CHAT_1, other)).map((trace) => trace.traceId)).toEqual(['t1', 't2']);
    expect(readTrace(otlp(CHAT_1, other))).toEqual({ fault: 'the spans belong to 2 traces' });
  });
});

describe('steps', () => {
  it('an observation is the result of the call before it', () => {
    const { task, trajectory } = read({
      task: 'q',
      steps: [
        { type: 'tool_call', content: '', tool: 'search', arguments: { a: 1 }, result: null },
        { type: 'observation', content: '{"b":2}' },
        { type: 'tool_call', content: '', tool_call: { name: 'audit', arguments: {}, error: 'denied' } },
        { type: 'observation', content: 'a note' },
        { type: 'answer', content: 'x' },
      ],
    });
    expect(task).toBe('q');
    expect(trajectory.steps).toEqual([
      { type: 'tool_call', tool_call: { name: 'search', arguments: { a: 1 }, result: { b: 2 } } },
      { type: 'tool_call', tool_call: { name: 'audit', arguments: {}, error: 'denied' } },
      { type: 'observation', content: 'a note' },
      { type: 'answer', content: 'x' },
    ]);
    expect(trajectory.final_answer).toBe('x');
  });

  it('a crash, even one without words, stays a crash', () => {
    expect(read({ task: 'q', steps: [], error: '' }).trajectory.error).toBe('');
  });

  it('says which step is none', () => {
    expect(readTrace({ steps: [{ type: 'answer', content: 'x' }, { type: 'guess' }] })).toMatchObject({
      fault: expect.stringMatching(/^steps.1 has the type "guess"/),
    });
  });

  it.each<[JsonValue]>([[null], ['text'], [7], [[]], [{}], [{ messages: 'x' }]])('%j is no trace', (value) => {
    expect(readTrace(value)).toBeNull();
  });
});
