import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runQuery } from '../../src/adapters/local/analytics/duckdb.ts';
import { findTables } from '../../src/adapters/local/analytics/table-files.ts';
import { ConfigError, StorageError } from '../../src/core/errors.ts';
import { scored } from '../../src/core/schemas/score.ts';
import { HOSTILE_TEXTS } from '../contracts/samples.ts';
import { result, runConfig } from '../core/aggregate/build.ts';
import { select, storeRun } from './stored-run.ts';

const RUN = 'r-01M8Q00000000000000000000A';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-text-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const TEXTS = [
  ...HOSTILE_TEXTS,
  '',
  'null',
  '{"a":1}',
  'tab\tcr\r\nlf\n',
  '\u2028\u2029\u0085',
  '😀'.repeat(100),
  'x'.repeat(200_000),
].filter((text) => text.isWellFormed());

async function store(texts: readonly string[]) {
  const results = texts.map((text, row) =>
    result(row, 1, {
      run_id: RUN,
      input: row % 2 === 0 ? text : { Text: text, text: null, TEXT: [text] },
      expected: text,
      output: text,
      metadata: { URL: text, Url: 'other', [text]: 1 },
      scores: { Tone: scored(1, text), tone: scored(0, '') },
    }),
  );
  await storeRun(folder, runConfig({ rows: texts.length, run: { run_id: RUN } }), [results]);
  return results;
}

describe('what an analyst reads', () => {
  it('is the text that was stored, one row a result', async () => {
    const results = await store(TEXTS);
    const rows = await select(
      folder,
      'SELECT input, expected, output, metadata, json_columns, scores FROM row_results ORDER BY "index"',
    );
    expect(rows).toHaveLength(TEXTS.length);
    for (const [position, row] of rows.entries()) {
      const text = TEXTS[position];
      expect(row).toMatchObject({ expected: text, output: text });
      const isJson = position % 2 === 1;
      expect(isJson ? JSON.parse(String(row.input)) : row.input).toEqual(results[position]?.input);
      expect(JSON.parse(String(row.metadata))).toEqual(results[position]?.metadata);
    }
  });

  it('keeps scores apart whose names differ only in case', async () => {
    await store(['a']);
    expect(
      await select(folder, `SELECT scores['Tone'].value AS upper, scores['tone'].value AS lower FROM row_results`),
    ).toEqual([{ upper: 1, lower: 0 }]);
  });

  it('has half a surrogate pair replaced, which DuckDB would refuse the whole file for', async () => {
    await store(['fine', 'cut \ud83d', '\udc00 and a backslash before \\ud800']);
    const rows = await select(folder, 'SELECT output FROM row_results ORDER BY "index"');
    expect(rows.map(({ output }) => output)).toEqual(['fine', 'cut \ufffd', '\ufffd and a backslash before \\ud800']);
  });

  it('may be a line of more than 16 MB', async () => {
    await store(['y'.repeat(17_000_000)]);
    expect(await select(folder, 'SELECT length(output) AS n FROM row_results')).toEqual([{ n: 17_000_000 }]);
  }, 60_000);
});

describe('runs on this machine', () => {
  it('are read as they lie there, values that are no text as JSON', async () => {
    const path = join(folder, 'runs', RUN);
    await mkdir(path, { recursive: true });
    const lines = [result(0, 1, { input: { A: 1, a: 2 }, metadata: { k: 'v' } }), result(1, 0.5, { input: 'plain' })];
    await writeFile(join(path, 'results.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(await select(folder, 'SELECT input, metadata, dt FROM row_results ORDER BY row_id')).toEqual([
      { input: '{"A":1,"a":2}', metadata: '{"k":"v"}', dt: '2025-01-01' },
      { input: 'plain', metadata: '{}', dt: '2025-01-01' },
    ]);
  });

  it('may be none: the tables are empty', async () => {
    expect(await select(folder, 'SELECT count(*) AS n FROM row_results')).toEqual([{ n: 0 }]);
    expect(await select(join(folder, 'nowhere'), 'SELECT count(*) AS n FROM runs')).toEqual([{ n: 0 }]);
  });
});

describe('what goes wrong', () => {
  it.each(['SELECT nothing FROM row_results', 'SELEC 1', `SELECT CAST('x' AS double)`])(
    'is said in plain words: %s',
    async (sql) => {
      await expect(select(folder, sql)).rejects.toThrow(ConfigError);
    },
  );

  it('names a damaged file', async () => {
    await writeLog('{"run_id": "r-1", "pro\n{"run_id": "r-1"}\n');
    const tables = await findTables(folder, 'row_results', null);
    await expect(runQuery('SELECT * FROM row_results', [], tables)).rejects.toThrow(StorageError);
    await expect(runQuery('SELECT * FROM row_results', [], tables)).rejects.toThrow(join('runs', RUN, 'results.jsonl'));
    await tables.dispose();
  });

  it('leaves out the line that a killed run did not end', async () => {
    await writeLog(`${JSON.stringify(result(0, 1))}\n{"run_id": "r-1", "pro`);
    expect(await select(folder, 'SELECT row_id FROM row_results')).toEqual([{ row_id: 'row-0' }]);
  });
});

async function writeLog(text: string): Promise<void> {
  const path = join(folder, 'runs', RUN);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'results.jsonl'), text);
}
