import { describe, expect, it } from 'vitest';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { scored, unscored } from '../../src/core/schemas/score.ts';
import { renderHtmlReport } from '../../src/report/html-report.ts';
import { collect, finishedRun, rowResult, runConfig, streamOf } from './finished-run.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openPage, type TinyElement } from './tiny-page.ts';

async function open(rows: readonly RowResult[], hash = '') {
  const page = openPage(
    await collect(renderHtmlReport({ summary: finishedRun(), config: runConfig(), results: streamOf(...rows) })),
    hash,
  );
  const list = page.element('row-list');
  const chip = (name: string) => page.element('chips').children.find((one) => one.dataset.filter === name);
  const ids = () => list.children.map((row) => row.all().find((one) => one.className === 'id mono')?.textContent);
  return { page, list, chip, ids };
}

function unfold(row: TinyElement | undefined): string {
  if (row === undefined) return '';
  row.open = true;
  row.fire('toggle');
  return row.textContent;
}

const rows = [
  rowResult({ row_id: 'good', index: 0, tags: ['billing'] }),
  rowResult({ row_id: 'bad', index: 1, passed: false, score: 0.2, tags: ['billing'] }),
  rowResult({ row_id: 'down', index: 2, passed: false, status: 'target_error', cause: 'timeout', score: 0 }),
  rowResult({ row_id: 'unjudged', index: 3, passed: false, status: 'judge_error', cause: 'unparsable', score: null }),
  rowResult({ row_id: 'wobbly', index: 4, trial: 0 }),
  rowResult({ row_id: 'wobbly', index: 4, trial: 1, passed: false, score: 0.4 }),
];

describe('the rows of a report', () => {
  it('shows the worst first', async () => {
    const { ids } = await open(rows);
    expect(ids()).toEqual(['bad', 'wobbly', 'down', 'unjudged', 'good', 'wobbly']);
  });

  it.each([
    { filter: 'failed', expected: ['bad', 'wobbly', 'down'] },
    { filter: 'errors', expected: ['down', 'unjudged'] },
    { filter: 'flaky', expected: ['wobbly', 'wobbly'] },
    { filter: 'all', expected: ['bad', 'wobbly', 'down', 'unjudged', 'good', 'wobbly'] },
  ])('filters $filter', async ({ filter, expected }) => {
    const { chip, ids } = await open(rows);
    chip(filter)?.fire('click');
    expect(ids()).toEqual(expected);
    expect(chip(filter)?.attributes.get('aria-pressed')).toBe('true');
    expect(chip(filter)?.textContent).toContain(String(expected.length));
  });

  it('filters by tag and by words, wherever they stand', async () => {
    const { page, ids } = await open([...rows, rowResult({ row_id: 'odd', index: 9, output: 'Ask the ZEBRA keeper' })]);
    page.element('tag').value = 'billing';
    page.element('tag').fire('change');
    expect(ids()).toEqual(['bad', 'good']);
    page.element('tag').value = '';
    page.element('tag').fire('change');
    page.element('search').value = 'zebra ask';
    page.element('search').fire('input');
    expect(ids()).toEqual(['odd']);
    page.element('search').value = 'nothing like it';
    page.element('search').fire('input');
    expect(page.element('row-list').textContent).toBe('No row matches.');
  });

  it('pages by fifty', async () => {
    const { page, list } = await open(
      Array.from({ length: 120 }, (_, index) => rowResult({ row_id: `r${index}`, index })),
    );
    expect(list.children).toHaveLength(50);
    page.element('next').fire('click');
    page.element('next').fire('click');
    expect(list.children).toHaveLength(20);
    expect(page.element('row-status').textContent).toBe('101 to 120 of 120');
    expect(page.element('next').disabled).toBe(true);
  });

  it('opens the row that a link names, on its page', async () => {
    const many = Array.from({ length: 120 }, (_, index) => rowResult({ row_id: `r ${index}`, index }));
    const { list } = await open(many, '#row=r%2077');
    expect(list.children.filter((row) => row.open)).toEqual([list.children[27]]);
  });

  it('says so when a linked row is not on the page', async () => {
    const { page } = await open(rows, '#row=gone');
    expect(page.element('row-status').textContent).toContain('not on this page');
  });

  it('shows everything about a row when it is unfolded', async () => {
    const steps = [
      { type: 'tool_call' as const, tool_call: { name: 'get_order', arguments: { id: 7 }, error: 'no such order' } },
      { type: 'answer' as const, content: 'I could not find it.' },
    ];
    const row = rowResult({
      passed: false,
      failed_checks: ['must_call'],
      contexts: ['Refunds within 30 days.'],
      trajectory: { steps },
      warnings: ['ambiguous label'],
      scores: {
        correctness: scored(0.25, 'Wrong product.', { raw_label: 'incorrect' }),
        relevance: unscored('judge-unparsable', 'no verdict'),
      },
    });
    const text = unfold((await open([row])).list.children[0]);
    const expected = [
      'must_call',
      'Refunds within 30 days.',
      'get_order',
      '"id": 7',
      'no such order',
      'ambiguous label',
    ];
    for (const part of [...expected, 'Wrong product.', 'incorrect', '0.250', 'judge-unparsable', 'not metered']) {
      expect(text).toContain(part);
    }
  });

  it('shows a tool’s result once, whether or not an observation repeats it', async () => {
    const steps = [
      { type: 'tool_call' as const, content: 'get_order', tool_call: { name: 'get_order', result: { total: 7 } } },
      { type: 'observation' as const, content: '{"total":7}' },
      { type: 'observation' as const, content: '[user] thanks' },
    ];
    const text = unfold((await open([rowResult({ trajectory: { steps } })])).list.children[0]);
    expect(text.match(/"total"/g)).toHaveLength(1);
    expect(text.match(/get_order/g)).toHaveLength(1);
    expect(text).toMatch(/2\. Observation\s+the result above/);
    expect(text).toContain('[user] thanks');
  });

  it('says of a sub-metric that it is not in the row score, and not of what the composite weighs', async () => {
    const aside = { in_row_score: false };
    const scores = {
      composite_score: scored(0.5, ''),
      answer_score: scored(0.5, '', aside),
      'answer.correctness': scored(0.5, '', aside),
    };
    const text = unfold((await open([rowResult({ scores })])).list.children[0]);
    expect(text.match(/not in the row score/g)).toHaveLength(1);
  });

  it('folds a long answer, and says what is not on the page', async () => {
    const { list } = await open([rowResult({ output: 'x'.repeat(30_000) })]);
    const folded = unfold(list.children[0]);
    expect(folded.length).toBeLessThan(10_000);
    expect(folded).toContain('Cut here: 10,000 more characters are left out');
    list
      .all()
      .find((one) => one.className === 'more')
      ?.fire('click');
    expect(list.textContent).toContain('x'.repeat(20_000));
  });

  it.each(HOSTILE_TEXTS.map((text) => ({ text })))(
    'names hidden characters of $text and adds no foreign element',
    async ({ text }) => {
      const { list } = await open([
        rowResult({ input: text, output: text, scores: { [text]: scored(0, text) }, tags: [text] }),
      ]);
      unfold(list.children[0]);
      const tags = new Set(list.all().map((one) => one.tag));
      for (const tag of ['script', 'img', 'a', 'iframe']) expect(tags).not.toContain(tag);
      expect(list.textContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u2028\u2029]/);
      for (const steering of ['\u001b', '\u0000', '\r']) expect(list.textContent).not.toContain(steering);
    },
  );
});
