import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FaultList } from '../../../src/core/dataset/fault-list.ts';
import { findJsonFault } from '../../../src/core/dataset/json-fault.ts';
import { JsonParser } from '../../../src/core/dataset/json-parser.ts';
import { JsonlParser } from '../../../src/core/dataset/jsonl-parser.ts';
import { faultsOf, jsonl, read, rowsOf } from './reading.ts';

describe('files of JSON that people have', () => {
  it.each([
    {
      name: 'JSONL with blank lines',
      file: 'a.jsonl',
      text: '{"input":"a"}\n\n   \n{"input":"b"}\n\n',
      inputs: ['a', 'b'],
    },
    {
      name: 'JSONL with CRLF and no last line break',
      file: 'a.jsonl',
      text: '{"input":"a"}\r\n{"input":"b"}',
      inputs: ['a', 'b'],
    },
    { name: 'JSONL with a byte-order mark', file: 'a.ndjson', text: '\uFEFF{"input":"a"}\n', inputs: ['a'] },
    {
      name: 'a list on one line of a JSONL file',
      file: 'a.jsonl',
      text: '[{"input":"a"},{"input":"b"}]\n',
      inputs: ['a', 'b'],
    },
    {
      name: 'a list over many lines of a JSONL file',
      file: 'a.jsonl',
      text: '\n[\n{"input":"a"},\n{"input":"b"}\n]\n',
      inputs: ['a', 'b'],
    },
    { name: 'a list', file: 'a.json', text: '[{"input":"a"},{"input":"b"}]', inputs: ['a', 'b'] },
    {
      name: 'rows in a wrapper',
      file: 'a.json',
      text: '{"name":"x","more":{"rows":[1]},"rows":[{"input":"a"},{"input":"b"}],"n":2}',
      inputs: ['a', 'b'],
    },
    {
      name: 'JSONL under the name of JSON',
      file: 'a.json',
      text: '{"input":"a"}\n{"input":"b"}\n',
      inputs: ['a', 'b'],
    },
    { name: 'a single row', file: 'a.json', text: '{"input":"a"}', inputs: ['a'] },
    {
      name: 'a name that tells nothing, with objects',
      file: 'data',
      text: '\n {"input":"a"}\n{"input":"b"}',
      inputs: ['a', 'b'],
    },
    { name: 'a name that tells nothing, with a list', file: 'data.txt', text: '[{"input":"a"}]', inputs: ['a'] },
    { name: 'a name that tells nothing, with CSV', file: 'data.txt', text: 'input;id\na;1', inputs: ['a'] },
    { name: 'a name in capitals with .gz', file: 'DATA.JSONL.GZ', text: '{"input":"a"}', inputs: ['a'] },
  ])('$name', async ({ file, text, inputs }) => {
    expect((await rowsOf(file, text)).map((row) => row.input)).toEqual(inputs);
  });
});

describe('files of JSON that are refused', () => {
  it.each([
    {
      name: 'a broken line, by its physical line',
      file: 'a.jsonl',
      text: '{"input":"a"}\n\n{"input":"b", "expected": "x" oops}\n{"input":"c"}\n',
      line: 3,
      mentions: ['JSON', 'character 31', 'oops'],
    },
    {
      name: 'a comma before the closing bracket',
      file: 'a.json',
      text: '[\n {"input":"a"},\n {"input":"b"},\n]\n',
      line: 4,
      mentions: ['JSON', 'a value'],
    },
    {
      name: 'a fault inside an element that spans lines',
      file: 'a.json',
      text: '[\n {"input":"a"},\n {\n  "input": "b",\n  "n": 01\n }]',
      line: 5,
      mentions: ['JSON', 'character 8'],
    },
    {
      name: 'a list that is cut off',
      file: 'a.json',
      text: '[{"input":"a"},\n',
      line: 2,
      mentions: ['ends inside a list'],
    },
    {
      name: 'an element that is cut off',
      file: 'a.json',
      text: '[{"input":"a"},\n{"input":',
      line: 2,
      mentions: ['ends inside'],
    },
    { name: 'text after the list', file: 'a.json', text: '[{"input":"a"}]\noops', line: 2, mentions: ['found "o"'] },
    {
      name: 'a row that is a text',
      file: 'a.jsonl',
      text: '{"input":"a"}\n"b"\n',
      line: 2,
      mentions: ['object', 'a string'],
    },
    { name: 'a row that is null', file: 'a.json', text: '[null,{"input":"a"}]', line: 1, mentions: ['object', 'null'] },
    { name: 'no rows', file: 'a.json', text: '{"rows":[]}', line: undefined, mentions: ['no rows'] },
    {
      name: 'rows under another name',
      file: 'a.json',
      text: '{"data":[{"input":"a"}]}',
      line: undefined,
      mentions: ['input', 'data'],
    },
    {
      name: 'duplicate ids, both lines named',
      file: 'a.jsonl',
      text: jsonl({ id: 'f', input: 'a' }, { id: 'g', input: 'b' }, { id: 'f', input: 'c' }),
      line: 3,
      mentions: ['"f"', 'line 1'],
    },
    {
      name: 'a passage without text',
      file: 'a.jsonl',
      text: jsonl({ input: 'a', contexts: ['x', { body: 'y' }] }),
      line: 1,
      mentions: ['contexts.1', 'text'],
    },
    {
      name: 'two sources in one row',
      file: 'a.jsonl',
      text: jsonl({ input: 'a', label: 'x', answer: 'y' }),
      line: 1,
      mentions: ['label', 'answer'],
    },
    { name: 'a number beyond the range', file: 'a.jsonl', text: '{"input": 1e999}', line: 1, mentions: ['range'] },
    {
      name: 'a number that would be rounded',
      file: 'a.jsonl',
      text: '{"input":"a","expected":12345678901234567890}',
      line: 1,
      mentions: ['expected', 'quotes'],
    },
    {
      name: 'nesting that would exhaust a stack',
      file: 'a.jsonl',
      text: `{"input":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      line: 1,
      mentions: ['nested'],
    },
    {
      name: 'deep nesting in a text cell',
      file: 'a.jsonl',
      text: jsonl({ input: 'a', trajectory: '['.repeat(5000) + ']'.repeat(5000) }),
      line: 1,
      mentions: ['trajectory', 'nested'],
    },
    {
      name: 'more than 200 KB of input',
      file: 'a.jsonl',
      text: jsonl({ input: 'é'.repeat(102_401) }),
      line: 1,
      mentions: ['200 KB', '201 KB'],
    },
    {
      name: 'zero max_steps',
      file: 'a.jsonl',
      text: jsonl({ input: 'a', expected: { answer: 'x', max_steps: 0 } }),
      line: 1,
      mentions: ['checks.max_steps'],
    },
    {
      name: 'a misspelt check',
      file: 'a.jsonl',
      text: jsonl({ input: 'a', checks: { must_cal: ['x'] } }),
      line: 1,
      mentions: ['must_cal', 'must_call'],
    },
    {
      name: 'an id that is a list',
      file: 'a.jsonl',
      text: jsonl({ id: ['x'], input: 'a' }),
      line: 1,
      mentions: ['id'],
    },
  ])('$name', async ({ file, text, line, mentions }) => {
    const faults = await faultsOf(file, text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ file });
    expect(faults[0]?.line).toBe(line);
    for (const mention of mentions) expect(JSON.stringify(faults[0])).toContain(mention.replaceAll('"', '\\"'));
  });

  it('accepts exactly 200 KB', async () => {
    expect(await rowsOf('a.jsonl', jsonl({ input: 'é'.repeat(102_400) }))).toHaveLength(1);
  });
});

const cutAnywhere = fc.integer({ min: 1, max: 7 });

describe('any JSON', () => {
  it('in a list is what JSON.parse makes of it, wherever it is cut', () => {
    const property = fc.property(
      fc.array(fc.jsonValue()),
      cutAnywhere,
      fc.constantFrom(0, 1, '\t'),
      (list, size, indent) => {
        expect(scan(JSON.stringify(list, null, indent), size)).toEqual(JSON.parse(JSON.stringify(list)));
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  it('in a wrapper is the same, whatever stands around it', () => {
    const property = fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), cutAnywhere, (rows, other, size) => {
      expect(scan(JSON.stringify({ a: other, rows, b: other }), size)).toEqual(JSON.parse(JSON.stringify(rows)));
    });
    fc.assert(property);
  });

  it('on lines of its own is the same', () => {
    const property = fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), cutAnywhere, (records, size) => {
      const parser = new JsonlParser(new FaultList('any.jsonl'));
      const found = [...pieces(jsonl(...records), size).flatMap((piece) => parser.push(piece)), ...parser.end()];
      expect(found.map((record) => record.value)).toEqual(JSON.parse(JSON.stringify(records)));
      expect(found.map((record) => record.line)).toEqual(records.map((_, index) => index + 1));
    });
    fc.assert(property);
  });

  it('with one character changed is refused exactly when JSON.parse refuses it', () => {
    const property = fc.property(
      fc.array(fc.jsonValue()),
      fc.nat(),
      fc.constantFrom(...'{}[]",:0-e.\\ \n'),
      (list, seed, char) => {
        const text = JSON.stringify(list);
        const at = 1 + (seed % text.length);
        const broken = text.slice(0, at) + char + text.slice(at + 1);
        const value = parsed(broken);
        expect(findJsonFault(broken) === null).toBe(value !== undefined);
        if (value !== undefined) expect(scan(broken, 3)).toEqual(value);
        else expect(refuses(broken)).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuses(text: string): boolean {
  const faults = new FaultList('any.json');
  try {
    const parser = new JsonParser(faults);
    parser.push(text);
    parser.end();
  } catch {}
  return faults.count > 0;
}

function scan(text: string, size: number): unknown[] {
  const faults = new FaultList('any.json');
  const parser = new JsonParser(faults);
  const records = [...pieces(text, size).flatMap((piece) => parser.push(piece)), ...parser.end()];
  expect(faults.count).toBe(0);
  return records.map((record) => record.value);
}

function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

it('reads the same rows however the bytes are cut', async () => {
  const text = jsonl({ input: 'Où est le café ? 𝒳', expected: '“à gauche”' }, { input: '日本語', tags: ['ü'] });
  const whole = await read('a.jsonl', text);
  for (const size of [1, 2, 3, 5]) expect(await read('a.jsonl', text, {}, size)).toEqual(whole);
});
