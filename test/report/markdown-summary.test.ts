import { describe, expect, it } from 'vitest';
import { scored } from '../../src/core/schemas/score.ts';
import { renderMarkdownSummary } from '../../src/report/markdown-summary.ts';
import { finishedRun, rowResult } from './finished-run.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

describe('the Markdown summary', () => {
  it('leads with the verdict and lists metrics and failed rows', () => {
    const row = rowResult({ row_id: 'bad', passed: false, failed_checks: ['contains'] });
    const text = renderMarkdownSummary(finishedRun({ gate: 'fail', status: 'failed' }), [row]);
    expect(text).toMatch(/^## ❌ support\\-faq: gate failed/);
    expect(text).toContain('| `correctness` | 0.900 |');
    expect(text).toContain('<details><summary>1 result did not pass</summary>');
    expect(text).toContain('| `bad` |');
  });

  it('stays small enough for a comment', () => {
    const rows = Array.from({ length: 500 }, (_, index) =>
      rowResult({
        row_id: `bad-${index}`,
        index,
        passed: false,
        input: 'x'.repeat(100_000),
        output: 'y'.repeat(100_000),
      }),
    );
    expect(renderMarkdownSummary(finishedRun(), rows).length).toBeLessThan(20_000);
  });

  it.each(HOSTILE_TEXTS.map((text) => ({ text })))('keeps $text as text', ({ text }) => {
    const scores = { [text]: scored(0, text) };
    const row = rowResult({ row_id: text, input: text, output: text, failed_checks: [text], passed: false, scores });
    const shown = renderMarkdownSummary(finishedRun({ eval: text, message: text, warnings: [text] }), [row]);
    const table = shown.split('\n').filter((line) => line.startsWith('| `'));
    for (const line of table.slice(-1)) expect(line.match(/(?<!\\)\|/g)).toHaveLength(6);
    const outsideCode = shown.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
    expect(outsideCode).not.toMatch(/<(?!\/?(?:details|summary|sub)>)/);
    expect(outsideCode).not.toMatch(/@(?!\u2060)\w/);
    expect(outsideCode).not.toMatch(/(?<!\\)\[[^\]]*\]\(/);
  });
});
