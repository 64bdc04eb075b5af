import { describe, expect, it } from 'vitest';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { renderHtmlReport } from '../../src/report/html-report.ts';
import { collect, finishedRun, rowResult, runConfig } from './finished-run.ts';
import { judged } from './prepared/build-run.ts';
import { questions } from './prepared/questions.ts';

const MOST_BYTES = 1_500_000;
const SENTENCE =
  'The handbook says so in the chapter on returns, and the answer repeats it without a promise of its own. ';

/** Rows as they often are: a short question, an answer of half a page, three reasons of a sentence or two. */
function* typicalRows(count: number): Generator<RowResult> {
  for (const [index, { id, tag, input, expected, good }] of questions(count).entries()) {
    const values = { correctness: index % 10 === 0 ? 0.1 : 0.93, relevance: 0.95, safety: 1 };
    const reasons = { correctness: SENTENCE.repeat(2), relevance: SENTENCE, safety: SENTENCE };
    const verdict = judged(values, reasons);
    yield rowResult({ row_id: id, index, input, expected, output: good + SENTENCE.repeat(3), tags: [tag], ...verdict });
  }
}

async function* stream(count: number): AsyncGenerator<RowResult> {
  yield* typicalRows(count);
}

const summaryOf = (rows: number) => {
  const summary = finishedRun();
  return finishedRun({ counts: { ...summary.counts, rows, results: rows, scored: rows } });
};

describe('weight of the page', () => {
  it('stays below 1.5 MB for 1,000 rows', async () => {
    const page = await collect(
      renderHtmlReport({ summary: summaryOf(1_000), config: runConfig(), results: stream(1_000) }),
    );
    const bytes = Buffer.byteLength(page);
    console.log(`1,000 typical rows: ${(bytes / 1e6).toFixed(2)} MB`);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it('does not grow with the rows beyond those that it holds', async () => {
    const weigh = async (rows: number) => {
      let bytes = 0;
      const input = { summary: summaryOf(rows), config: runConfig(), results: stream(rows) };
      for await (const part of renderHtmlReport(input)) bytes += Buffer.byteLength(part);
      return bytes;
    };
    expect(await weigh(40_000)).toBeLessThan((await weigh(12_000)) * 1.05);
  });
});
