import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { httpEval, makeFolder, numberedRows, rightAnswer, runFile, runHere, runIds, startTarget } from './harness.ts';

/** A run that passes, then one in which row 3 regressed and row 1 is fixed. */
async function twoRuns() {
  const wrong = new Set(['q1']);
  const target = await startTarget((question) =>
    wrong.has(question) ? `no idea about ${question}` : rightAnswer(question),
  );
  const folder = await makeFolder({
    'eval.json': httpEval(target.url, { thresholds: { pass_rate: 0.5, fail_on_regression: true } }),
    'rows.jsonl': numberedRows(6),
  });
  expect((await runHere(folder)).code).toBe(0);
  return {
    folder,
    async again() {
      wrong.delete('q1');
      wrong.add('q3');
      expect((await runHere(folder)).code).toBe(1);
      const [first = '', second = ''] = runIds(folder);
      return { first, page: readFileSync(runFile(folder, second, 'report.html'), 'utf8') };
    },
  };
}

describe('the report of a run on this machine', () => {
  it('shows what the baseline answered beside what is answered now, and both runs as a trend', async () => {
    const { again } = await twoRuns();
    const { page } = await again();
    const changed = page.slice(page.indexOf('id="changes"'), page.indexOf('id="metrics"'));
    expect(changed).toMatch(/id="change-1" data-row="row-3".*Baseline answer.*a3.*New answer.*no idea about q3/s);
    expect(changed).toMatch(/id="change-2" data-row="row-1".*Baseline answer.*no idea about q1.*New answer.*a1/s);
    expect(page).toContain('Pass rate of the last 2 runs: 83.3%, passed; 83.3%, failed');
  });

  it.each([
    { name: 'gone', damage: (path: string) => rmSync(path) },
    { name: 'cut off', damage: (path: string) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, 300)) },
    { name: 'empty', damage: (path: string) => writeFileSync(path, '') },
  ])('says so when the results of the baseline are $name, and shows the new answers', async ({ damage }) => {
    const { folder, again } = await twoRuns();
    damage(join(folder, '.assay', 'runs', runIds(folder)[0] ?? '', 'results.jsonl'));
    const { first, page } = await again();
    expect(page).toContain(
      `Only the new answers can be shown: results.jsonl of the baseline ${first} is gone or cannot be read.`,
    );
    expect(page).toMatch(/data-row="row-3".*cannot be shown.*no idea about q3/s);
  });
});
