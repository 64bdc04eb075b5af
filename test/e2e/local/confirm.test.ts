import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../src/core/schemas/summary.ts';
import {
  assayHere,
  httpEval,
  makeFolder,
  numberedRows,
  readResults,
  rightAnswer,
  runFile,
  runHere,
  startTarget,
  summaryOf,
} from './harness.ts';

const WRONG = 'no idea';

/** A passing run of 12 rows first; then the target answers wrongly where `isWrong` says so, by row and how often it was asked. */
async function twoRuns(
  isWrong: (row: number, call: number) => boolean,
  more: object = {},
  ofTarget: object = {},
): Promise<{ folder: string; second: RunSummary; asked: Map<number, number>; stderr: string }> {
  const asked = new Map<number, number>();
  let isBaseline = true;
  const target = await startTarget((question) => {
    const row = Number(question.slice(1));
    const call = (asked.get(row) ?? 0) + 1;
    asked.set(row, call);
    const answer = !isBaseline && isWrong(row, call) ? WRONG : rightAnswer(question);
    return { body: { answer, cost: 0.1 } };
  });
  const { targets, ...rest } = httpEval(target.url, { confirm_trials: 3, thresholds: { pass_rate: 0.5 }, ...more });
  const folder = await makeFolder({
    'eval.json': { ...rest, targets: (targets as object[]).map((one) => ({ ...one, ...ofTarget })) },
    'rows.jsonl': numberedRows(12),
  });
  await runHere(folder, '--quiet');
  isBaseline = false;
  asked.clear();
  const ended = await runHere(folder, '--json');
  return { folder, second: summaryOf(ended), asked, stderr: ended.stderr };
}

describe('rows that passed in the baseline and fail now', () => {
  it('are blamed only when they fail again', async () => {
    const { second, asked, stderr } = await twoRuns((row, call) => row === 2 || (row === 5 && call === 1));
    expect(second.baseline?.confirmation).toEqual({
      trials: 3,
      // Two flips: all of three must fail, which noise does to either in 2 of 1,000 runs.
      blame_at: 3,
      chance: expect.closeTo(0.002, 12),
      flipped: 2,
      regressed: ['row-2'],
      flaky: ['row-5'],
      not_confirmed: [],
      why: null,
      // Row 5 passes at once, and is not asked again.
      results: 4,
    });
    expect(second.baseline).toMatchObject({ regressed: ['row-2'], same: 12 });
    expect(second).toMatchObject({ gate: 'fail', counts: { passed: 11, failed: 1, flaky: 1, results: 12 } });
    expect([...asked].filter(([, calls]) => calls > 1)).toEqual(
      expect.arrayContaining([
        [2, 4],
        [5, 2],
      ]),
    );
    expect(stderr).toContain('2 rows passed in the baseline and failed now: they are tried up to 3 more times');
  });

  it('pass the gate when none fails again', async () => {
    const { folder, second } = await twoRuns((row, call) => row < 2 && call === 1);
    expect(second).toMatchObject({ gate: 'pass', counts: { passed: 12, flaky: 2 } });
    const results = readResults(folder, second.run_id);
    expect(results.filter(({ phase }) => phase === 'confirm')).toHaveLength(2);
    const report = readFileSync(runFile(folder, second.run_id, 'report.html'), 'utf8');
    expect(report).toContain('0 of 2 flips confirmed, 2 flaky; at most 3 further trials each');
  });

  it('are all left as they are when too many flipped', async () => {
    const { second, asked } = await twoRuns((row) => row < 11);
    expect(second.baseline?.confirmation).toMatchObject({ flipped: 11, flaky: [], regressed: [], results: 0 });
    expect(second.baseline?.confirmation?.why).toContain('11 of 12 rows that passed in the baseline flipped');
    expect(second.baseline?.regressed).toHaveLength(11);
    expect(Math.max(...asked.values())).toBe(1);
  });

  it('are tried again on resuming a run that was killed while it confirmed', async () => {
    const { folder, second } = await twoRuns((row) => row === 2);
    const path = runFile(folder, second.run_id, 'results.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    // The manifest's 12 results, one further trial, and the start of the next.
    writeFileSync(path, `${lines.slice(0, 13).join('\n')}\n${lines[13]?.slice(0, 40)}`);
    const flags = ['--resume', second.run_id, '--dir', join(folder, '.assay'), '--json'];
    const resumed = summaryOf(await assayHere(['run', ...flags]));
    expect(resumed.baseline?.confirmation).toEqual(second.baseline?.confirmation);
    expect(readResults(folder, second.run_id)).toHaveLength(14);
  });

  it('stay unconfirmed when the money is gone, and the run is decided all the same', async () => {
    const more = { max_cost_usd_hard: 1.45, concurrency: 1 };
    const { second, asked } = await twoRuns((row) => row === 2, more, { cost_path: 'cost' });
    // 12 rows at 0.1 and one further trial: the next is taken to cost up to twice as much, which is beyond the cap.
    expect(asked.get(2)).toBe(2);
    expect(second.baseline?.confirmation).toMatchObject({ not_confirmed: ['row-2'], why: 'cost cap', results: 1 });
    expect(second).toMatchObject({ gate: 'fail', stopped: null, coverage: 1 });
    expect(second.cost.total_usd).toBeCloseTo(1.3, 9);
  });
});
