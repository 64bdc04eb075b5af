import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSubsetOf } from '../../../src/core/agent/argument-subset.ts';
import { type MockTools, parseMockTools } from '../../../src/core/agent/mock-tools.ts';
import type { JsonValue } from '../../../src/core/json.ts';

function toolsOf(value: JsonValue): MockTools {
  const tools = parseMockTools(value);
  if ('fault' in tools) throw new Error(tools.fault);
  return tools;
}
const call = (value: JsonValue, name: string, args: JsonValue = {}) => toolsOf(value).open().call(name, args);

describe('a call of a mock tool', () => {
  it.each<{ name: string; tools: JsonValue; result: JsonValue }>([
    { name: 'its response', tools: [{ name: 'a', response: { b: [1, null] } }], result: { b: [1, null] } },
    { name: 'false', tools: [{ name: 'a', response: false }], result: false },
    { name: 'null', tools: [{ name: 'a', response: null }], result: null },
    { name: 'null where it says nothing', tools: [{ name: 'a' }], result: null },
    { name: 'its response where its error is null', tools: [{ name: 'a', response: 1, error: null }], result: 1 },
  ])('gives $name', ({ tools, result }) => {
    expect(call(tools, 'a')).toEqual({ ok: true, result, latencyMs: 0 });
  });

  it('gives its error, even an empty one, and takes its time', () => {
    expect(call([{ name: 'a', error: '', latency_ms: 20 }], 'a')).toEqual({ ok: false, error: '', latencyMs: 20 });
  });

  it.each<{ tools: JsonValue; error: string }>([
    {
      tools: [{ name: 'a' }, { name: 'b' }, { name: 'a', when: {} }],
      error: 'there is no tool "c"; available tools: a, b',
    },
    { tools: [], error: 'there is no tool "c"; there are none' },
  ])('that is not listed is an error that names those that are: $error', ({ tools, error }) => {
    expect(call(tools, 'c')).toEqual({ ok: false, error, latencyMs: 0 });
  });

  it.each<{ name: string; args: JsonValue; result: JsonValue }>([
    { name: 'the first whose arguments are held', args: { city: 'Paris', unit: 'C', extra: 1 }, result: 'Paris in C' },
    { name: 'the next one where a value differs', args: { city: 'Paris', unit: 'F' }, result: 'Paris' },
    { name: 'the last without conditions else', args: { city: 'Rome' }, result: 'anywhere' },
    { name: 'the last for arguments that are no object', args: 'Paris', result: 'anywhere' },
  ])('is answered by $name', ({ args, result }) => {
    const tools: JsonValue = [
      { name: 'weather', when: { city: 'Paris', unit: 'C' }, response: 'Paris in C' },
      { name: 'weather', when: { city: 'Paris' }, response: 'Paris' },
      { name: 'weather', response: 'anywhere' },
    ];
    expect(call(tools, 'weather', args)).toMatchObject({ ok: true, result });
  });

  it('that no condition holds for is an error', () => {
    const tools = [{ name: 'a', when: { b: 1 }, response: 1 }];
    expect(call(tools, 'a', { b: 2 })).toEqual({
      ok: false,
      error: 'no mock of "a" answers these arguments',
      latencyMs: 0,
    });
  });

  it('goes through a sequence and stays at its end, anew in each session', () => {
    const tools = toolsOf([
      { name: 'a', latency_ms: 5, sequence: [{ error: 'busy' }, { response: 1, latency_ms: 0 }] },
    ]);
    const session = tools.open();
    const outcomes = [0, 1, 2].map(() => session.call('a', {}));
    expect(outcomes).toEqual([
      { ok: false, error: 'busy', latencyMs: 5 },
      { ok: true, result: 1, latencyMs: 0 },
      { ok: true, result: 1, latencyMs: 0 },
    ]);
    expect(tools.open().call('a', {})).toMatchObject({ ok: false });
  });

  it('counts only the calls that a sequence itself answers', () => {
    const session = toolsOf([
      { name: 'a', when: { x: 1 }, sequence: [{ response: 'first' }, { response: 'second' }] },
      { name: 'a', response: 'other' },
    ]).open();
    const results = [{ x: 1 }, { x: 2 }, { x: 1 }].map((args) => session.call('a', args));
    expect(results.map((outcome) => outcome.ok && outcome.result)).toEqual(['first', 'other', 'second']);
  });
});

describe('the form of tools', () => {
  const schema = { type: 'object', properties: { q: { type: 'string' } } };
  const spec = { name: 'find', description: 'Finds', parameters: schema };

  it.each<{ name: string; tools: JsonValue }>([
    { name: 'a list', tools: [{ name: 'find', description: 'Finds', parameters: schema, response: 1 }] },
    { name: 'an object by name', tools: { find: { description: 'Finds', parameters: schema, response: 1 } } },
    {
      name: 'an object of lists',
      tools: { find: [{ when: { q: 'x' } }, { description: 'Finds', parameters: schema }] },
    },
    { name: "Anthropic's schema", tools: [{ name: 'find', description: 'Finds', input_schema: schema, response: 1 }] },
    { name: "Bedrock's schema", tools: [{ name: 'find', description: 'Finds', inputSchema: schema }] },
    {
      name: "OpenAI's function",
      tools: [{ type: 'function', function: { name: 'find', description: 'Finds', parameters: schema }, response: 1 }],
    },
  ])('may be $name', ({ tools }) => {
    expect(toolsOf(tools).specs).toEqual([spec]);
  });

  it.each<{ name: string; parameters: JsonValue; shown: JsonValue }>([
    { name: 'is that of an object where none is given', parameters: null, shown: { type: 'object', properties: {} } },
    {
      name: 'gets its type',
      parameters: { required: ['a'] },
      shown: { type: 'object', properties: {}, required: ['a'] },
    },
  ])('whose schema $name', ({ parameters, shown }) => {
    expect(toolsOf([{ name: 'a', parameters }]).specs[0]?.parameters).toEqual(shown);
  });

  it.each<{ name: string; tools: JsonValue; fault: string }>([
    { name: 'text', tools: 'search', fault: 'tools: expected a list' },
    { name: 'a list of texts', tools: ['search'], fault: 'tools.0: ' },
    { name: 'a name that models refuse', tools: [{ name: 'get weather' }], fault: 'tools.0: name: a tool name has' },
    { name: 'no name', tools: [{ response: 1 }], fault: 'tools.0: name: ' },
    { name: 'a misspelt key', tools: { find: { reponse: 1 } }, fault: 'tools.find: Unrecognized key: "reponse"' },
    { name: 'a negative wait', tools: [{ name: 'a', latency_ms: -1 }], fault: 'tools.0: latency_ms: ' },
    { name: 'a wait of an hour', tools: [{ name: 'a', latency_ms: 3_600_000 }], fault: 'tools.0: latency_ms: ' },
    { name: 'an empty sequence', tools: [{ name: 'a', sequence: [] }], fault: 'tools.0: sequence: ' },
    {
      name: 'a sequence beside a response',
      tools: [{ name: 'a', sequence: [{}], response: 1 }],
      fault: 'keep one of them',
    },
    { name: 'a condition that is a list', tools: [{ name: 'a', when: [1] }], fault: 'tools.0: when: ' },
    {
      name: 'a tool of another kind',
      tools: [{ type: 'web_search', name: 'a' }],
      fault: 'tools.0: Unrecognized key: "type"',
    },
  ])('that is $name is a fault', ({ tools, fault }) => {
    const parsed = parseMockTools(tools);
    expect('fault' in parsed && parsed.fault).toContain(fault);
  });
});

describe('isSubsetOf', () => {
  it.each<{ wanted: JsonValue; args: JsonValue; holds: boolean }>([
    { wanted: {}, args: { a: 1 }, holds: true },
    { wanted: {}, args: null, holds: false },
    { wanted: { a: { b: 1 } }, args: { a: { c: 2, b: 1.0 } }, holds: true },
    { wanted: { a: null }, args: {}, holds: false },
    { wanted: { a: true }, args: { a: 1 }, holds: false },
    { wanted: { a: [1] }, args: { a: [1, 2] }, holds: false },
    { wanted: { a: [{ x: 1, y: 2 }] }, args: { a: [{ y: 2, x: 1 }] }, holds: true },
    { wanted: { toString: 1 }, args: {}, holds: false },
  ])('$wanted in $args: $holds', ({ wanted, args, holds }) => {
    expect(isSubsetOf(wanted, args)).toBe(holds);
  });

  it('holds for any object in itself, and in itself with more', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, key) => {
        const wanted = object as { [key: string]: JsonValue };
        expect(isSubsetOf(wanted, wanted)).toBe(true);
        if (!Object.hasOwn(wanted, key)) expect(isSubsetOf(wanted, { ...wanted, [key]: 1 })).toBe(true);
      }),
    );
  });
});
