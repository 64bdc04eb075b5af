import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  httpEval,
  lines,
  makeFolder,
  numberedRows,
  readResults,
  rightAnswer,
  runFile,
  runHere,
  runIds,
  startTarget,
  summaryOf,
} from './harness.ts';

it('runs 10,000 rows, accounts for each and keeps the report small', async () => {
  const rows = numberedRows(10_000).map((row, index) => ({
    ...row,
    output: index % 100 === 7 ? 'wrong' : row.expected,
  }));
  const folder = await makeFolder({
    'eval.json': httpEval('', { targets: [{ type: 'recorded' }], thresholds: { pass_rate: 0.99 }, concurrency: 50 }),
    'rows.jsonl': rows,
  });
  const ended = await runHere(folder, '--json');
  expect(ended.code).toBe(0);
  const summary = summaryOf(ended);
  expect(summary.counts).toMatchObject({ rows: 10_000, results: 10_000, scored: 10_000, passed: 9_900, failed: 100 });
  expect(lines(runFile(folder, summary.run_id, 'results.jsonl'))).toHaveLength(10_000);
  expect(statSync(runFile(folder, summary.run_id, 'report.html')).size).toBeLessThan(5_000_000);
});

it('takes the same fixed sample every time', async () => {
  const rows = numberedRows(200).map((row) => ({ ...row, output: row.expected }));
  const folder = await makeFolder({
    'eval.json': httpEval('', { targets: [{ type: 'recorded' }] }),
    'rows.jsonl': rows,
  });
  const [first, second] = [
    summaryOf(await runHere(folder, '--json', '--sample', '20')),
    summaryOf(await runHere(folder, '--json', '--sample', '20')),
  ];
  expect(first.counts.rows).toBe(20);
  const ids = [first, second].map(({ run_id }) => readResults(folder, run_id).map((result) => result.row_id));
  expect(ids[0]).toEqual(ids[1]);
});

it('keeps answers of a megabyte whole, and shows a part of them', async () => {
  const long = 'lorem ipsum '.repeat(90_000);
  const target = await startTarget((question) => `${long}${rightAnswer(question)}`);
  const folder = await makeFolder({ 'eval.json': httpEval(target.url), 'rows.jsonl': numberedRows(6) });
  const ended = await runHere(folder);
  expect(ended.code).toBe(0);
  expect(ended.stdout.length).toBeLessThan(5_000);
  const [runId = ''] = runIds(folder);
  for (const result of readResults(folder, runId)) expect(result.output).toHaveLength(long.length + 2);
  expect(statSync(runFile(folder, runId, 'report.html')).size).toBeLessThan(3_000_000);
});
