import { describe, expect, it } from 'vitest';
import { NAMED_QUERIES } from '../../src/analytics/named-queries.ts';
import { TABLES } from '../../src/analytics/tables.ts';
import { loadTrinoParser } from './trino-parser.ts';

const trino = await loadTrinoParser();

describe('the parser', () => {
  it.each(['SELECT 1 LIMIT 5 OFFSET 1', 'SELECT a::int FROM t', 'SELECT a FROM t GROUP BY ALL', 'SELEC 1'])(
    'refuses what Trino refuses: %s',
    (sql) => {
      expect(trino.validate(sql)).not.toEqual([]);
    },
  );
});

describe.each(NAMED_QUERIES)('$name', ({ name, description, parameters, sql }) => {
  it('is SQL of Trino', () => {
    expect(trino.validate(sql)).toEqual([]);
  });

  it('has one parameter a question mark', () => {
    expect(sql.match(/\?/g) ?? []).toHaveLength(parameters.length);
    for (const { kind, of } of parameters) {
      if (kind === 'run_date') expect(parameters.map((parameter) => parameter.name)).toContain(of);
    }
  });

  it('reads no table without a bound on its partition', () => {
    const reads = sql.match(new RegExp(`FROM (${TABLES.map((table) => table.name).join('|')})\\b`, 'g')) ?? [];
    const bounds = sql.match(/\bdt (=|>=) \?/g) ?? [];
    expect(reads.length).toBeGreaterThan(0);
    expect(bounds).toHaveLength(reads.length);
  });

  it('has a name and a description that fit Athena', () => {
    expect(name).toMatch(/^[a-z_]{3,60}$/);
    expect(description.length).toBeLessThan(200);
  });
});
