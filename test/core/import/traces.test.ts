import { describe, expect, it } from 'vitest';
import { parseMockTools } from '../../../src/core/agent/mock-tools.ts';
import { DatasetReader } from '../../../src/core/dataset/read-dataset.ts';
import { DatasetError } from '../../../src/core/errors.ts';
import { importTraces } from '../../../src/core/import/trace-file.ts';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';

const lines = (...values: JsonValue[]) => values.map((value) => JSON.stringify(value)).join('\n');
const load = (...values: JsonValue[]) => importTraces(lines(...values), 'traces.jsonl');
const call = (tool: string, args: JsonValue, more: object): JsonValue => ({
  type: 'tool_call',
  tool,
  arguments: args,
  ...more,
});

const TRACE: JsonValue = {
  task: 'Which region is my-data-bucket in?',
  steps: [
    { type: 'thought', content: 'I search.' },
    call('search_kb', { query: 'my-data-bucket' }, { result: { region: 'us-west-2' } }),
    { type: 'answer', content: 'The bucket is in us-west-2.' },
  ],
  metadata: { description: 'Look up a region', difficulty: 'easy', tags: ['s3'] },
};

describe('a trace as a row', () => {
  it('expects what happened', () => {
    const { rows, notes } = load(TRACE);
    expect(notes).toEqual([]);
    expect(rows).toMatchObject([
      {
        input: 'Which region is my-data-bucket in?',
        expected: 'The bucket is in us-west-2.',
        // 3 steps × 1.5 = 4.5, rounded up; one call more than there was.
        checks: { answer_match: 'contains', must_call: ['search_kb'], max_steps: 5, max_tool_calls: 2 },
        tools: [{ name: 'search_kb', response: { region: 'us-west-2' } }],
        tags: ['s3'],
        difficulty: 'easy',
        metadata: { description: 'Look up a region' },
      },
    ]);
  });

  it('gives short traces room: at least 3 steps and one call', () => {
    expect(load({ task: 'q', steps: [{ type: 'answer', content: 'a' }] }).rows[0]?.checks).toEqual({
      answer_match: 'contains',
      must_call: [],
      max_steps: 3,
      max_tool_calls: 1,
    });
  });

  it('mocks each arguments apart, errors and repeats included', () => {
    const steps = [
      call('get', { id: 1 }, { result: 'one' }),
      call('get', { id: 2 }, { error: 'not found' }),
      call('get', { id: 1 }, { result: 'one, changed' }),
      call('get', { id: 1, full: true }, { result: 'all of one' }),
      call('ping', {}, {}),
      { type: 'observation', content: 'pong' },
      { type: 'answer', content: 'done' },
    ];
    const [row] = load({ task: 'q', steps }).rows;
    expect(row?.tools).toEqual([
      { name: 'get', when: { id: 1, full: true }, response: 'all of one' },
      { name: 'get', when: { id: 1 }, sequence: [{ response: 'one' }, { response: 'one, changed' }] },
      { name: 'get', when: { id: 2 }, error: 'not found' },
      { name: 'ping', response: 'pong' },
    ]);
    const tools = parseMockTools(row?.tools ?? null);
    if ('fault' in tools) throw new Error(tools.fault);
    const session = tools.open();
    const asked: JsonValue[] = [{ id: 1 }, { id: 2 }, { id: 1 }, { id: 1, full: true }];
    const results = asked.map((args) => session.call('get', args));
    expect(results).toMatchObject([
      { ok: true, result: 'one' },
      { ok: false, error: 'not found' },
      { ok: true, result: 'one, changed' },
      { ok: true, result: 'all of one' },
    ]);
  });

  it('is read by the dataset reader as it is', async () => {
    const text = load(TRACE)
      .rows.map((row) => `${JSON.stringify(row)}\n`)
      .join('');
    async function* chunks() {
      yield Buffer.from(text);
    }
    const read = [];
    for await (const row of new DatasetReader({ name: 'x.jsonl', chunks: chunks() }, {})) read.push(row);
    expect(read).toHaveLength(1);
    expect(read[0]?.checks.must_call).toEqual(['search_kb']);
  });

  it.each<{ name: string; trace: JsonValue; note: RegExp }>([
    {
      name: 'a crashed agent',
      trace: { task: 'q', steps: [], error: 'boom' },
      note: /line 1: left out, the agent crashed: boom/,
    },
    {
      name: 'no task',
      trace: { steps: [{ type: 'answer', content: 'a' }] },
      note: /nothing says what the agent was asked/,
    },
  ])('leaves out $name and says so', ({ trace, note }) => {
    const { rows, notes } = load(trace);
    expect([rows, notes]).toEqual([[], [expect.stringMatching(note)]]);
  });

  it('takes the same trace once', () => {
    const { rows, notes } = load(TRACE, TRACE);
    expect(rows).toHaveLength(1);
    expect(notes).toEqual([expect.stringMatching(/line 2: left out, the same trace/)]);
  });

  it('expects nothing of an agent that did not answer, and mocks null where no result is known', () => {
    const { rows, notes } = load({ task: 'q', steps: [call('f', {}, {})] });
    expect(rows[0]).toMatchObject({ expected: null, tools: [{ name: 'f', response: null }] });
    expect(notes).toHaveLength(2);
  });

  it('names every line that is no trace', () => {
    expect(() => load(TRACE, { a: 1 }, 'x')).toThrow(DatasetError);
    expect(() => load(TRACE, { a: 1 }, 'x')).toThrow(/line 2: is no trace[\s\S]*line 3: is no trace/);
    expect(() => importTraces('{"a":\n{]', 't')).toThrow(/line 1: not valid JSON/);
  });

  it.each([
    { name: 'a list of traces', text: JSON.stringify([TRACE, { ...(TRACE as object), task: 'other' }]), rows: 2 },
    { name: 'one trace', text: JSON.stringify(TRACE, null, 2), rows: 1 },
    {
      name: 'the messages of one',
      text: JSON.stringify([
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'a' },
      ]),
      rows: 1,
    },
    {
      name: 'lists of messages',
      text: JSON.stringify([[{ role: 'user', content: 'q' }], [{ role: 'user', content: 'r' }]]),
      rows: 2,
    },
    { name: 'a byte order mark and blank lines', text: `\uFEFF${JSON.stringify(TRACE)}\n\n`, rows: 1 },
  ])('reads $name', ({ text, rows }) => {
    expect(importTraces(text, 't').rows).toHaveLength(rows);
  });

  it('puts spans of one trace together from several lines', () => {
    const span = (spanId: string, at: number, attributes: JsonObject): JsonObject => ({
      traceId: 't',
      spanId,
      name: spanId,
      startTimeUnixNano: at,
      attributes,
    });
    const ask = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'q' }] }],
    };
    const reply = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'a' }] }],
    };
    expect(load(span('b', 2e9, reply), span('a', 1e9, ask)).rows).toMatchObject([{ input: 'q', expected: 'a' }]);
  });
});
