import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ParquetFile } from '../../../src/adapters/parquet/parquet-file.ts';
import { type HiveType, parseHiveType } from '../../../src/analytics/hive-type.ts';
import { type Column, ROW_RESULTS } from '../../../src/analytics/tables.ts';

/** Any value of a type, null among them; whole numbers as far as a double is exact. */
function anyOf(type: HiveType): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'string':
      return orNull(fc.string({ unit: 'binary' }));
    case 'boolean':
      return orNull(fc.boolean());
    case 'bigint':
      return orNull(fc.maxSafeInteger());
    case 'double':
      return orNull(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)));
    case 'array':
      return orNull(fc.array(anyOf(type.element), { maxLength: 3 }));
    case 'map':
      return orNull(
        fc.dictionary(fc.string({ unit: 'grapheme' }), anyOf(type.value), { maxKeys: 3, noNullPrototype: true }),
      );
    case 'struct':
      return orNull(fc.record(Object.fromEntries(type.fields.map(([name, field]) => [name, anyOf(field)]))));
  }
}
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });

const anyRow = (columns: readonly Column[]) =>
  fc.record(Object.fromEntries(columns.map(({ name, type }) => [name, anyOf(parseHiveType(type))])));

describe('a Parquet file of result lines', () => {
  let folder: string;
  let connection: Awaited<ReturnType<Awaited<ReturnType<typeof DuckDBInstance.create>>['connect']>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-parquet-'));
    connection = await (await DuckDBInstance.create(':memory:')).connect();
  });
  afterAll(async () => {
    connection.closeSync();
    await rm(folder, { recursive: true });
  });

  async function readBack(bytes: Uint8Array, select: string): Promise<unknown[]> {
    const path = join(folder, 'file.parquet');
    await writeFile(path, bytes);
    const reader = await connection.runAndReadAll(`SELECT ${select} AS line FROM read_parquet('${path}') AS t`);
    return reader.getRowObjectsJson().map(({ line }) => line);
  }

  function fileOf(columns: readonly Column[], lines: readonly string[]): Uint8Array {
    const file = new ParquetFile(columns);
    for (const line of lines) file.add(line);
    return file.finish();
  }

  it('is read by another implementation as what was written, every column of the table', async () => {
    const { columns } = ROW_RESULTS;
    const several = fc.array(anyRow(columns), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(several, async (rows) => {
        const bytes = fileOf(
          columns,
          rows.map((row) => JSON.stringify(row)),
        );
        const lines = await readBack(bytes, 'to_json(t)');
        expect(lines.map((line) => JSON.parse(String(line)))).toEqual(rows);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    { name: 'lists of nothing', type: 'array<string>', value: [] },
    { name: 'a list of null', type: 'array<string>', value: [null] },
    { name: 'a map of nothing', type: 'map<string,double>', value: {} },
    { name: 'names that differ only in case', type: 'map<string,double>', value: { a: 1, A: 2 } },
    {
      name: 'lists in structs in maps',
      type: 'map<string,struct<v:array<double>>>',
      value: { m: { v: [0, 1] }, n: { v: null } },
    },
    { name: 'line breaks of every kind', type: 'string', value: 'a\n\r\u2028\u0085\u0000b' },
    { name: 'a long answer', type: 'string', value: 'é'.repeat(200_000) },
    { name: 'the largest exact whole number', type: 'bigint', value: Number.MAX_SAFE_INTEGER },
  ])('keeps $name', async ({ type, value }) => {
    const columns = [{ name: 'value', type, comment: '' }];
    const lines = await readBack(fileOf(columns, [JSON.stringify({ value }), '{}']), 'to_json(t)');
    expect(lines.map((line) => JSON.parse(String(line)))).toEqual([{ value }, { value: null }]);
  });

  it('puts a mark where half a surrogate pair stood', async () => {
    const columns = [{ name: 'value', type: 'string', comment: '' }];
    expect(await readBack(fileOf(columns, ['{"value":"a\\ud800b"}']), 'value')).toEqual(['a\ufffdb']);
  });

  it('ends a row group before it holds too much', async () => {
    const columns = [{ name: 'value', type: 'bigint', comment: '' }];
    const lines = Array.from({ length: 120_001 }, (_, value) => JSON.stringify({ value }));
    await readBack(fileOf(columns, lines), '1');
    const groups = await connection.runAndReadAll(
      `SELECT DISTINCT row_group_id, row_group_num_rows AS n FROM parquet_metadata('${join(folder, 'file.parquet')}') ORDER BY 1`,
    );
    expect(groups.getRowObjectsJson().map(({ n }) => Number(n))).toEqual([50_000, 50_000, 20_001]);
    const sum = await connection.runAndReadAll(
      `SELECT sum(value) AS s FROM read_parquet('${join(folder, 'file.parquet')}')`,
    );
    expect(Number(sum.getRowObjectsJson()[0]?.s)).toBe((120_000 * 120_001) / 2);
  });

  it.each([
    { name: 'a word where a number belongs', type: 'bigint', value: 'many' },
    { name: 'a fraction where a whole number belongs', type: 'bigint', value: 1.5 },
    { name: 'text where a list belongs', type: 'array<string>', value: 'a,b' },
  ])('refuses $name', ({ type, value }) => {
    const file = new ParquetFile([{ name: 'value', type, comment: '' }]);
    expect(() => file.add(JSON.stringify({ value }))).toThrow();
  });
});
