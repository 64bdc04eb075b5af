import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  assayHere,
  httpEval,
  makeFolder,
  numberedRows,
  rightAnswer,
  runFile,
  runHere,
  runIds,
  startTarget,
} from './harness.ts';

it.each([
  { name: 'passes', answer: rightAnswer },
  { name: 'fails', answer: () => 'wrong' },
])('one row is one row, in a run that $name', async ({ answer }) => {
  const { url } = await startTarget(answer);
  const folder = await makeFolder({ 'eval.json': httpEval(url), 'rows.jsonl': numberedRows(1) });
  const first = await runHere(folder);
  const second = await runHere(folder);
  const validated = await assayHere(['validate', join(folder, 'eval.json')]);
  const summary = readFileSync(runFile(folder, runIds(folder)[1] ?? '', 'summary.json'), 'utf8');
  const said = [first, second, validated].map(({ stdout, stderr }) => stdout + stderr).join('\n') + summary;
  expect(said).not.toMatch(/\b1 (rows|results)\b(?!\/s)/);
});
