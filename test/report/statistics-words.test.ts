import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import { renderMarkdownSummary } from '../../src/report/markdown-summary.ts';
import { statisticLines } from '../../src/report/statistics-words.ts';
import { renderTerminalSummary } from '../../src/report/terminal-summary.ts';
import { finishedRun } from './finished-run.ts';

const STATISTICS: NonNullable<RunSummary['statistics']> = {
  rows: 40,
  clusters: null,
  effective_rows: 40,
  score_standard_error: 0.02,
  score_df: 39,
  smallest_visible: { basis: 'assumed', pass_rate: 0.09, score: 0.06, rows_for_3_points: 360 },
  floors: [],
};
const BASELINE: NonNullable<RunSummary['baseline']> = {
  run_id: 'r-then',
  same: 40,
  new: 0,
  removed: [],
  removed_passed: [],
  changed: [],
  regressed: ['a', 'b'],
  fixed: [],
  still_failing: [],
  unknown: [],
  pass_rate: 1,
  score: 0.95,
  delta: -0.05,
  delta_same: -0.05,
  mean_delta: -0.05,
  ci95: [-0.16, 0.05],
  p_value: 0.125,
  compared: 40,
  mean_delta_same: -0.05,
  mean_standard_error: 0.01,
  mean_ci95: [-0.07, -0.03],
  differences: [],
};
const wordsOf = (changes: Partial<RunSummary>) =>
  statisticLines(finishedRun({ statistics: STATISTICS, ...changes })).map(
    ({ name, figure, words }) => `${name} ${figure}: ${words}`,
  );

describe('statistics in words', () => {
  it('say what cannot be seen', () => {
    expect(wordsOf({}).join('\n')).toContain(
      'at 40 rows a drop below 9 points cannot be seen (8 of 10 times, without a baseline to learn from); of the score, below 0.060; to see 3 points takes 360 rows',
    );
  });
  it('say where the true rate lies', () => {
    expect(wordsOf({ pass_rate: 0.95, pass_rate_ci95: [0.835, 0.986] })[0]).toBe(
      'pass rate 95% (Wilson 95%): 40 rows like these say that the true rate lies between 83.5% and 98.6%',
    );
  });
  it('say what clusters are worth', () => {
    const statistics = { ...STATISTICS, clusters: 8, effective_rows: 12.3 };
    expect(wordsOf({ statistics })[0]).toContain('(rows come in 8 clusters: worth 12 independent ones)');
  });
  it('say whether a change may be none', () => {
    const words = wordsOf({ baseline: BASELINE }).join('\n');
    expect(words).toContain('between −16 points and +5 points: could be no change at all');
    expect(words).toContain('p 0.13 (McNemar mid-p): 2 rows fail that passed, 0 pass that failed');
    expect(words).toContain('each row against itself, the true change lies between −0.070 and −0.030');
    expect(wordsOf({ baseline: { ...BASELINE, ci95: [-0.2, -0.01] } }).join('\n')).toContain('−1 points: worse');
  });
  it('say nothing of flips where there are none', () => {
    const baseline = { ...BASELINE, regressed: [], p_value: 1 };
    expect(wordsOf({ baseline }).join('\n')).toContain('no row changed its verdict');
  });
  it('say which floors are not reached for sure', () => {
    const floors = [
      { metric: 'safety', floor: 0.9, p_value: 0.001, p_holm: 0.002 },
      { metric: 'tone', floor: 0.8, p_value: 0.02, p_holm: 0.02 },
      { metric: 'gone', floor: 0.8, p_value: null, p_holm: null },
    ];
    const words = wordsOf({ statistics: { ...STATISTICS, floors } });
    expect(words.filter((line) => line.startsWith('floor of'))).toEqual([
      'floor of safety p 0.0010, 0.0020 among 2 (Holm): too low to be chance: the true mean is below 0.900',
      'floor of tone p 0.020, 0.020 among 2 (Holm): too low to be chance: the true mean is below 0.800',
    ]);
  });
  it('say what the judge is worth', () => {
    const calibration: RunSummary['calibration'] = {
      judge_hash: 'j',
      metric: 'judge',
      label_policy: '2026-01',
      age_days: 12.7,
      labels: 120,
      kappa: 0.81,
      tpr: 0.95,
      tnr: 0.9,
      corrected: { status: 'corrected', judged_rate: 0.8, judged: 40, rate: 0.82, ci95: [0.7, 0.93] },
    };
    const words = wordsOf({ calibration }).join('\n');
    expect(words).toContain(
      'κ 0.810: over 120 labels (policy 2026-01, 12 days before the run) the judge passes 95% of good',
    );
    expect(words).toContain('the judge passed 80%; people would have passed between 70% and 93%');
    const drifted = { ...calibration, corrected: { ...calibration.corrected, status: 'judge_drift' as const } };
    expect(wordsOf({ calibration: drifted }).join('\n')).toContain('it is another judge now');
  });
  it('are silent for runs from before there were any', () => {
    expect(statisticLines(finishedRun())).toEqual([]);
  });
  it('stand in the terminal and in the comment, where a name cannot be markup', () => {
    const floors = [{ metric: '<b>|x|</b>', floor: 0.9, p_value: 0.5, p_holm: 0.5 }];
    const summary = finishedRun({ statistics: { ...STATISTICS, floors } });
    const terminal = renderTerminalSummary({ summary, failedRows: [], paths: {} }, { color: false, width: 100 });
    expect(terminal).toContain('how sure');
    expect(terminal).toContain('at 40 rows a drop below 9 points cannot be seen');
    const markdown = renderMarkdownSummary(summary, []);
    expect(markdown).toContain('How sure these numbers are');
    expect(markdown).not.toContain('<b>');
    const row = markdown.split('\n').find((line) => line.includes('floor of')) ?? '';
    expect(row.match(/(?<!\\)\|/g)).toHaveLength(4);
  });
});
