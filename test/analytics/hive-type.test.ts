import { describe, expect, it } from 'vitest';
import { parseHiveType } from '../../src/analytics/hive-type.ts';
import { TABLES } from '../../src/analytics/tables.ts';

describe('types of columns', () => {
  it.each([
    { text: 'string', type: { kind: 'string' } },
    { text: 'array<double>', type: { kind: 'array', element: { kind: 'double' } } },
    {
      text: 'map<string,struct<a:bigint,b:array<boolean>>>',
      type: {
        kind: 'map',
        value: {
          kind: 'struct',
          fields: [
            ['a', { kind: 'bigint' }],
            ['b', { kind: 'array', element: { kind: 'boolean' } }],
          ],
        },
      },
    },
  ])('reads $text', ({ text, type }) => {
    expect(parseHiveType(text)).toEqual(type);
  });

  it.each(['', 'decimal(9,2)', 'array<string', 'map<bigint,string>', 'struct<>', 'struct<a>', 'string>'])(
    'refuses "%s"',
    (text) => {
      expect(() => parseHiveType(text)).toThrow(TypeError);
    },
  );

  it.each(TABLES.flatMap(({ name, columns }) => columns.map((column) => ({ table: name, ...column }))))(
    'reads $table.$name',
    ({ type }) => {
      expect(() => parseHiveType(type)).not.toThrow();
    },
  );
});
