import { describe, expect, it } from 'vitest';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { scored } from '../../src/core/schemas/score.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import { renderTerminalSummary } from '../../src/report/terminal-summary.ts';
import { textWidth } from '../../src/report/terminal-text.ts';
import { finishedRun, rowResult, runConfig } from './finished-run.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

interface Options {
  readonly rows?: readonly RowResult[];
  readonly color?: boolean;
  readonly width?: number;
}

function render(summary: RunSummary, { rows = [], color = false, width = 100 }: Options = {}): string {
  const marks = { policy: runConfig().policy };
  return renderTerminalSummary(
    { summary, failedRows: rows, paths: { report: 'out/report.html' }, marks },
    { color, width },
  );
}

const failing = (index: number, changes: Partial<RowResult> = {}) =>
  rowResult({ row_id: `bad-${index}`, index, passed: false, score: 0.2, failed_checks: ['contains'], ...changes });

describe('the terminal summary', () => {
  it('ends with the gate line and its reasons', () => {
    const reasons = [
      { rule: 'min_score', outcome: 'fail' as const, text: 'score 0.731 is below 0.80', actual: 0.731, limit: 0.8 },
    ];
    const text = render(finishedRun({ gate: 'fail', decision: { outcome: 'fail', policy_hash: 'p', reasons } }));
    expect(text.endsWith('gate: FAIL  score 0.731 is below 0.80\n')).toBe(true);
  });

  it('draws a bar a metric with its mark', () => {
    const line = render(finishedRun())
      .split('\n')
      .find((one) => one.startsWith('correctness'));
    expect(line).toMatch(/█+┃█+░+ {3}0\.900 {2}row mark 0\.80 · n 4/);
  });

  it('fills a bar only for a full score', () => {
    const metric = { mean: 0.9999, n: 4, unscored: 0, ci95: null };
    const line = render(finishedRun({ metrics: { correctness: metric } })).split('\n')[3];
    expect(line).toContain('░');
    expect(line).toContain('0.9999');
  });

  it('tells how far repeated trials agree', () => {
    const text = render(
      finishedRun({
        repeats: [
          {
            target: 'http',
            trials: 6,
            rows: 4,
            flaky: 1,
            flake_rate: 0.25,
            pass_at: [0.5, 0.6, 0.65, 0.7, 0.74, 0.75],
            pass_hat: [0.5, 0.4, 0.35, 0.3, 0.26, 0.25],
          },
        ],
      }),
    );
    expect(text).toContain('6 trials a row\n  1 of 4 rows flaky (25%)\n');
    expect(text).toContain('pass@1 50% · pass@2 60% · pass@3 65% · pass@4 70% · pass@6 75%');
    expect(text).toContain('pass^1 50% · pass^2 40% · pass^3 35% · pass^4 30% · pass^6 25%');
    expect(render(finishedRun())).not.toContain('trials a row');
  });

  it('says of trials that no row finished that nothing is known', () => {
    const none = { target: 'http', trials: 2, rows: 0, flaky: 0, flake_rate: null, pass_at: [], pass_hat: [] };
    const text = render(finishedRun({ repeats: [none] }));
    expect(text).toContain('no row has a verdict for all its trials');
    expect(text).not.toContain('pass@1');
  });

  it('says in words what is not known', () => {
    const cost = { ...finishedRun().cost, total_usd: 0, not_metered: ['http'] };
    const latency = { p50_ms: null, p95_ms: null, n: 0, timeouts: 0 };
    const metrics = { correctness: { mean: null, n: 0, unscored: 4, ci95: null } };
    const text = render(finishedRun({ score: null, pass_rate: null, coverage: null, latency, cost, metrics }));
    expect(text).toMatch(/correctness +not scored \(n 0, 4 unscored\)/);
    expect(text).toMatch(/pass rate +no row counts/);
    expect(text).toContain('latency   not timed');
    expect(text).toContain('cost      not metered: http');
    expect(text).not.toMatch(/NaN|null|undefined|\$0/);
  });

  it('says how many results did not pass though it is given only the worst', () => {
    const input = { summary: finishedRun(), failedRows: [failing(0), failing(1)], failedCount: 27, paths: {} };
    const text = renderTerminalSummary(input, { color: false, width: 100 });
    expect(text).toContain('27 results did not pass');
    expect(text).toContain('… and 25 more in the report');
  });

  it('shows ten failed rows and how many more there are', () => {
    const text = render(finishedRun(), { rows: Array.from({ length: 12 }, (_, index) => failing(index)) });
    expect(text).toContain('bad-9');
    expect(text).not.toContain('bad-10');
    expect(text).toContain('and 2 more in the report');
  });

  it('says what was asked, what came back, what did not hold and why', () => {
    const row = failing(1, { scores: { correctness: scored(0.2, 'Names another product.') } });
    const text = render(finishedRun(), { rows: [row] });
    for (const part of [
      'How do I reset',
      'Open the sign-in page',
      'contains',
      'correctness 0.200: Names another product.',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('colours only when asked', () => {
    expect(render(finishedRun(), { color: true })).toContain('\u001b[');
    expect(render(finishedRun(), { color: false })).not.toContain('\u001b');
  });

  it.each([40, 60, 80, 200])('keeps every line within %i columns, wide characters too', (width) => {
    const wide = '返品の手続きを教えてください'.repeat(20);
    const rows = [failing(1, { row_id: wide, input: wide, output: wide, scores: { [wide]: scored(0, wide) } })];
    const metrics = { [wide]: { mean: 0.5, n: 1, unscored: 0, ci95: null } };
    const summary = finishedRun({ eval: wide, message: wide, warnings: [wide], metrics });
    for (const line of render(summary, { rows, width }).split('\n')) {
      expect(textWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  it.each(HOSTILE_TEXTS.map((text) => ({ text })))('cannot be steered by $text', ({ text }) => {
    const rows = [failing(1, { row_id: text, input: text, output: text, error: text, failed_checks: [text] })];
    const reasons = [{ rule: text, outcome: 'fail' as const, text, actual: null, limit: null }];
    const summary = finishedRun({
      eval: text,
      gate: 'fail',
      warnings: [text],
      metrics: { [text]: { mean: 0.5, n: 1, unscored: 0, ci95: null } },
      skipped_by_cause: { [text]: 1 },
      decision: { outcome: 'fail', policy_hash: text, reasons },
    });
    const shown = render(summary, { rows });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
    expect(shown).not.toMatch(/^gate: PASS/m);
    expect(shown).toMatch(/gate: FAIL {2}[^\n]*\n( {12}[^\n]*\n)*$/);
  });
});
