import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../../console/support/browser.ts';
import { rowResult, streamOf } from '../finished-run.ts';
import { hostileInput } from '../hostile-input.ts';
import { HOSTILE_TEXTS } from '../hostile-texts.ts';
import { FOREIGN_ELEMENTS, OVERFLOW, SHOW_WHOLE_TEXTS, unfold } from './in-page.ts';
import { type OpenReport, ReportBrowser } from './open-report.ts';

const LONG = 1_000_000;

describe.skipIf(!hasChromium)('hostile text, opened in a browser', { timeout: 60_000 }, () => {
  let browser: ReportBrowser;
  beforeAll(async () => {
    browser = await ReportBrowser.start();
  });
  afterAll(() => browser?.close());

  it.each(
    [...HOSTILE_TEXTS, '"><svg onload=alert(1)>', 'javascript:alert(1)', '__proto__', 'constructor'].map((text) => ({
      text,
    })),
  )('runs nothing of $text, asks for nothing and fits the window', async ({ text }) => {
    // Without the page's policy: the escaping alone has to hold.
    const report = await browser.open(hostileInput(text), { bypassCSP: true });
    await unfoldEverything(report);
    expect(report.trouble).toEqual([]);
    expect(await foreignElements(report)).toEqual([]);
    expect(await overflow(report)).toBe(0);
    await report.page.setViewportSize({ width: 390, height: 800 });
    expect(await overflow(report)).toBe(0);
  });

  it.each([
    { name: 'one word of a megabyte', text: 'x'.repeat(LONG) },
    { name: 'a megabyte of lines', text: 'line\n'.repeat(LONG / 5) },
    { name: 'a megabyte that combines onto one letter', text: `a${'\u0301'.repeat(LONG - 1)}` },
    { name: 'a megabyte of right-to-left text', text: 'שלום '.repeat(LONG / 5) },
  ])('stays in its window with $name as answer of now and then', async ({ text }) => {
    const input = hostileInput('long');
    const row = rowResult({
      row_id: 'long',
      input: text,
      output: text,
      expected: text,
      passed: false,
      contexts: [text],
    });
    input.baselineAnswers?.status === 'read' &&
      input.baselineAnswers.answers.add({ ...row, trial: 3, output: `${text} ` });
    const report = await browser.open({ ...input, results: streamOf(row) }, { width: 390 });
    await unfoldEverything(report);
    expect(report.trouble).toEqual([]);
    expect(await overflow(report)).toBe(0);
  });

  it('shows the names of rows, tags and targets that mean something to a script as what they are', async () => {
    const { page } = await browser.open(hostileInput('__proto__'));
    expect(await page.locator('#row-list .id').first().textContent()).toBe('__proto__');
    await page.selectOption('#tag', '__proto__');
    expect(await page.locator('#row-list > details').count()).toBe(5);
  });
});

/** Opens every fold of the page, then every row, then every text that is shown in part. */
async function unfoldEverything({ page }: OpenReport): Promise<void> {
  await page.evaluate(unfold(1_000));
  await page.waitForTimeout(50);
  await page.evaluate(SHOW_WHOLE_TEXTS);
}

const foreignElements = ({ page }: OpenReport) => page.evaluate<string[]>(FOREIGN_ELEMENTS);
const overflow = ({ page }: OpenReport) => page.evaluate<number>(OVERFLOW);
