import { describe, expect, it } from 'vitest';
import { NAMED_QUERIES } from '../../src/analytics/named-queries.ts';
import type { NamedQuery } from '../../src/analytics/named-query.ts';
import { query as ask } from '../../src/cli/commands/query.ts';
import { bindParameters, type KnownRun, runsOf } from '../../src/cli/query/bind-parameters.ts';
import { findQuery, listQueries } from '../../src/cli/query/query-text.ts';
import { makeRunId } from '../../src/core/run-id.ts';
import { aRunId } from '../contracts/samples.ts';

const query = (name: string): NamedQuery => findQuery(name, NAMED_QUERIES);
const run = (number: number, more: Partial<KnownRun> = {}): KnownRun => ({
  run_id: aRunId(number),
  eval: 'faq',
  project: 'shop',
  dt: `2026-11-0${number}`,
  baseline_run_id: null,
  ...more,
});
const bind = (name: string, given: Readonly<Record<string, string>>, runs: readonly KnownRun[]) =>
  bindParameters(query(name), new Map(Object.entries(given)), runs);

describe('parameters', () => {
  it('are the latest run and its date when none is given', () => {
    expect(bind('worst_rows', {}, [run(1), run(2)])).toEqual(['2026-11-02', aRunId(2)]);
  });

  it('take the date of the run that is named', () => {
    expect(bind('worst_rows', { run: aRunId(1) }, [run(1), run(2)])).toEqual(['2026-11-01', aRunId(1)]);
  });

  it('take the date of a run that has not finished from its id', () => {
    const started = makeRunId(Date.parse('2026-11-30T23:59:59.999Z'), new Uint8Array(10));
    expect(bind('worst_rows', { run: started }, [run(1)])).toEqual(['2026-11-30', started]);
  });

  it.each([
    { name: 'what the run was compared with', runs: [run(1), run(2), run(3, { baseline_run_id: aRunId(1) })], is: 1 },
    { name: 'else the run of its eval before it', runs: [run(1), run(2, { eval: 'other' }), run(3)], is: 1 },
    { name: 'never one of another project', runs: [run(1), run(2, { project: 'other' }), run(3)], is: 1 },
  ])('compare with $name', ({ runs, is }) => {
    const values = bind('regressions', {}, runs);
    expect(values.slice(0, 4)).toEqual(['2026-11-03', aRunId(3), `2026-11-0${is}`, aRunId(is)]);
    expect(runsOf(query('regressions'), values)).toEqual([aRunId(3), aRunId(is)]);
  });

  it('begin with the first day and ask for no run where the query spans them', () => {
    const values = bind('trend_by_commit', {}, [run(1), run(2, { eval: 'other' })]);
    expect(values).toEqual(['2020-01-01', 'other']);
    expect(runsOf(query('trend_by_commit'), values)).toBeNull();
  });

  it.each([
    { given: { runn: 'x' }, runs: [run(1)], says: /no parameter "runn".*did you mean run\?/ },
    { given: { since: '2026-01-01' }, runs: [run(1)], says: /no parameter "since".*it takes dt, run/ },
    { given: { run: '../../etc' }, runs: [run(1)], says: /"..\/..\/etc" is not a run id/ },
    { given: { dt: 'today' }, runs: [run(1)], says: /dt: "today" is not a date/ },
    { given: {}, runs: [], says: /no run \(run id\) given, and there is no finished run/ },
  ])('that do not fit are named: $given', ({ given, runs, says }) => {
    expect(() => bind('worst_rows', given as unknown as Record<string, string>, runs)).toThrow(says);
  });

  it('say that a run has nothing to be compared with', () => {
    expect(() => bind('regressions', {}, [run(1)])).toThrow(/no baseline.*compared with none/);
  });
});

describe('a query', () => {
  it.each(['worst_rows', 'worst-rows'])('is found by its name %s', (name) => {
    expect(query(name).name).toBe('worst_rows');
  });

  it.each(['SELECT 1', '  with a as (select 1) select * from a', '-- why\nSELECT 1'])('may be SQL: %j', (sql) => {
    expect(query(sql)).toMatchObject({ sql, parameters: [] });
  });

  it.each([
    ['worst_row', /did you mean worst_rows\?/],
    ['DROP TABLE runs', /there is no query.*SQL begins with SELECT or WITH/],
  ])('that is neither is refused: %s', (text, says) => {
    expect(() => query(text)).toThrow(says);
  });

  it('is listed with what it takes', () => {
    const list = listQueries(NAMED_QUERIES);
    for (const { name, description } of NAMED_QUERIES)
      expect(list).toMatch(new RegExp(`^${name} +${description.slice(0, 20)}`, 'm'));
    expect(list).toMatch(/regressions.*\n.*takes dt, run, baseline_dt, baseline\n/);
    expect(list.split('\n')).toHaveLength(NAMED_QUERIES.length * 2 + 1);
  });
});

describe('the folder that is asked', () => {
  it('must have held a run: none is a fault, no empty answer', async () => {
    await expect(ask(['SELECT count(*) FROM row_results', '--dir', '/nowhere/assay'])).rejects.toThrow(
      'no runs in /nowhere/assay',
    );
  });
});
