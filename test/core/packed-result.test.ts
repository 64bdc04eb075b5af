import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { packResult, unpackResult } from '../../src/core/packed-result.ts';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { aResult, HOSTILE_TEXTS } from '../contracts/samples.ts';

const throughALine = (result: RowResult): RowResult =>
  unpackResult(JSON.parse(JSON.stringify(packResult(result))) as RowResult);

describe('a packed result', () => {
  it('leaves text as text, whatever it looks like', () => {
    for (const text of ['', 'plain', '{"a":1}', '"quoted"', 'null', '[1]', ...HOSTILE_TEXTS]) {
      const result = aResult(0, { input: text, expected: text });
      expect(packResult(result)).toMatchObject({ input: text, expected: text, json_columns: [] });
      expect(throughALine(result)).toEqual(result);
    }
  });

  it.each([
    { input: { Key: 1, key: 2, KEY: 3 }, expected: ['a', null] },
    { input: null, expected: null },
    { input: 0, expected: false },
    { input: 'x', expected: { nested: '{"json_columns":["input"]}' } },
    { input: JSON.parse('{"__proto__": 1}') as JsonValue, expected: 'x'.repeat(200_000) },
  ])('gives back $input', (fields) => {
    const result = aResult(0, { ...fields, metadata: { URL: 'a', Url: '\u2028\n😀\ud800' } });
    expect(throughALine(result)).toEqual(result);
    expect(Object.keys(throughALine(result))).toEqual(Object.keys(result));
  });

  it('gives back any JSON, in its order', () => {
    const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    const object = fc.dictionary(fc.string(), json) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(json, json, object, (input, expected, metadata) => {
        const result = JSON.parse(JSON.stringify(aResult(0, { input, expected, metadata }))) as RowResult;
        expect(JSON.stringify(throughALine(result))).toBe(JSON.stringify(result));
      }),
    );
  });

  it('is told from a result as runs on this machine keep it', () => {
    const result = aResult(0, { input: { a: 1 }, metadata: { a: 1 } });
    expect(unpackResult(structuredClone(result))).toEqual(result);
  });
});
