import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { expectedFaults, runCheck } from '../../../src/core/scoring/checks/run-check.ts';
import { row, spec } from './build.ts';

const shared = process.env.ASSAY_SHARED ?? join(import.meta.dirname, '../../../../shared');
const file = join(shared, 'data/gsm8k/example_model_solutions.jsonl.gz');

interface Solved {
  readonly question: string;
  readonly ground_truth: string;
  readonly [model: string]: string | { readonly is_correct: boolean; readonly solution: string };
}

it.skipIf(!existsSync(file))('grades four models’ solutions as their authors did (skipped without the data)', () => {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  const check = spec('numeric', { extract: 'A: (.+)\\s*$' });
  let graded = 0;
  const disagreements: string[] = [];
  for (const [index, line] of lines.entries()) {
    const solved = JSON.parse(line) as Solved;
    expect(expectedFaults(check, row({ id: `q${index}`, expected: solved.ground_truth }))).toEqual([]);
    for (const [model, given] of Object.entries(solved)) {
      if (typeof given === 'string') continue;
      const rules = { text_match: 'normalized', word_boundary: false } as const;
      const { passed, reason } = runCheck(check, given.solution, solved.ground_truth, rules);
      graded += 1;
      if (passed !== given.is_correct) disagreements.push(`${index} ${model}: ${reason}`);
    }
  }
  expect(graded).toBe(1319 * 4);
  expect(disagreements).toEqual([]);
});
