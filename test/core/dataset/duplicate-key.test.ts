import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDuplicateKey } from '../../../src/core/dataset/duplicate-key.ts';
import { previewDataset } from '../../../src/core/dataset/preview-dataset.ts';
import { formatFault } from '../../../src/core/errors.ts';
import type { JsonValue } from '../../../src/core/json.ts';

const find = (text: string) => findDuplicateKey(text, JSON.parse(text) as JsonValue)?.key ?? null;

describe('a key twice', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a" \n : 1, "b": 2, "a"\t:3}', 'a'],
    ['{"x":{"b":1,"b":1}}', 'b'],
    ['[{"x":[{"c":1,"c":{}}]}]', 'c'],
    ['{"é":1,"\\u00e9":2}', 'é'],
    ['{"a\\\\":1,"a\\\\":2}', 'a\\'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"t":": a","a":1,"a":2}', 'a'],
  ])('is found in %s', (text, key) => {
    expect(find(text)).toBe(key);
  });

  it.each([
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a":": b","b":" : c"}',
    '{"a\\"":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '"a:b"',
    '3',
    '{}',
  ])('is not found in %s', (text) => {
    expect(find(text)).toBeNull();
  });

  it('is never found in what was written from a value', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => find(JSON.stringify(value, null, 1)) === null));
  });

  it('is found wherever a member is written again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (object, pick) => {
        const members = Object.entries(object).map(
          ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
        );
        const again = members[pick % members.length] ?? '';
        return find(`{${[...members, again].join(' , ')}}`) !== null;
      }),
    );
  });
});

describe('a row with a key twice', () => {
  async function faultsOf(name: string, text: string) {
    async function* chunks() {
      yield Buffer.from(text);
    }
    const { faults } = await previewDataset({ name, chunks: chunks() }, 0);
    return faults.map(formatFault);
  }
  const says = 'the key "expected" is there twice in one object (keep one of them)';
  const good = '{"input":"q","expected":"a"}';
  const twice = '{"input":"r","expected":"a","expected":"b"}';

  it('is a fault that names line and key, and reading goes on', async () => {
    expect(await faultsOf('rows.jsonl', `${good}\n${twice}\n${good}\n`)).toEqual([
      `rows.jsonl, line 2: ${says}`,
      expect.stringContaining('rows.jsonl, line 3, field id: duplicate input'),
    ]);
  });

  it('is a fault in a list, in a wrapper and in rows that stand one after the other', async () => {
    const wide = '{"input":"r",\n"expected":"a",\n"expected":"b"}';
    expect(await faultsOf('rows.json', `[${good},\n${wide}]`)).toEqual([`rows.json, line 4: ${says}`]);
    expect(await faultsOf('rows.json', `{"rows":[${good},\n${wide}]}`)).toEqual([`rows.json, line 4: ${says}`]);
    expect(await faultsOf('rows.json', `${good}\n${wide}`)).toEqual([`rows.json, line 2: ${says}`]);
  });
});
