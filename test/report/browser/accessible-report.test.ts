import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../../console/support/browser.ts';
import { reportInput } from '../prepared/build-run.ts';
import { hiddenRegression } from '../prepared/hidden-regression.ts';
import { judgeOutage } from '../prepared/judge-outage.ts';
import { showcase } from '../prepared/showcase.ts';
import { slowTarget } from '../prepared/slow-target.ts';
import { FOCUS_ID, FOCUS_PLACE, FOCUS_TEXT, type FocusPlace, runAxe, unfold } from './in-page.ts';
import { type OpenReport, ReportBrowser } from './open-report.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const RUNS = [
  { name: 'a hidden regression', make: hiddenRegression },
  { name: 'a judge outage', make: judgeOutage },
  { name: 'a slow target', make: slowTarget },
  { name: 'a run with everything', make: showcase },
];

describe.skipIf(!hasChromium)('the report, for everybody', { timeout: 120_000 }, () => {
  let browser: ReportBrowser;
  beforeAll(async () => {
    browser = await ReportBrowser.start();
  });
  afterAll(() => browser?.close());

  it.each([
    ...RUNS.map((run) => ({ ...run, width: 1280 })),
    { name: 'a run with everything', make: showcase, width: 390 },
  ])('has no fault that axe knows of: $name, $width pixels wide', async ({ make, width }) => {
    const report = await browser.open(await reportInput(make()), { width, bypassCSP: true });
    await unfoldSome(report);
    expect(await axeFaults(report)).toEqual([]);
    expect(report.trouble).toEqual([]);
  });

  it.each(RUNS)('can be read in the dark: $name', async ({ make }) => {
    const report = await browser.open(await reportInput(make()), { colorScheme: 'dark', bypassCSP: true });
    await unfoldSome(report);
    expect(await axeFaults(report, ['color-contrast'])).toEqual([]);
  });

  it('is walked through by keyboard from top to bottom', async () => {
    const { page } = await browser.open(await reportInput(showcase()));
    const tops: number[] = [];
    for (let step = 0; step < 400; step += 1) {
      await page.keyboard.press('Tab');
      const place = await page.evaluate<FocusPlace | null>(FOCUS_PLACE);
      if (place === null) break;
      expect(place.height).toBeGreaterThan(0);
      if (!place.sticky) tops.push(Math.round(place.top));
    }
    expect(tops.length).toBeGreaterThan(60);
    // Neighbours on one line may differ by some pixels, and two cards stand side by side.
    const back = tops.filter((top, at) => at > 0 && top < (tops[at - 1] ?? 0) - 300);
    expect(back).toEqual([]);
  });

  it('lets a row be found, opened and left by keyboard alone', async () => {
    const { page } = await browser.open(await reportInput(hiddenRegression()));
    const focused = () => page.evaluate<string>(FOCUS_TEXT);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to where to look');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('refund-window');
    await page.keyboard.press('Enter');
    expect(await focused()).toContain('refund-window');
    expect(await page.locator('#row-list > details[open]').count()).toBe(1);
    expect(await page.locator('#row-list > details[open] .detail-grid').textContent()).toContain('90 days');
    await page.keyboard.press('Enter');
    expect(await page.locator('#row-list > details[open]').count()).toBe(0);
  });

  it('lets rows be filtered by keyboard, and says how many are left', async () => {
    const { page } = await browser.open(await reportInput(hiddenRegression()));
    await page.locator('#chips button', { hasText: 'Failed' }).focus();
    await page.keyboard.press('Space');
    expect(await page.locator('#row-list > details').count()).toBe(7);
    expect(await page.locator('#row-count').textContent()).toBe('7 rows match');
    expect(await page.locator('#chips button[aria-pressed="true"]').textContent()).toContain('Failed');
    await page.locator('#search').focus();
    await page.keyboard.type('sale item');
    await expect.poll(() => page.locator('#row-count').textContent()).toBe('2 rows match');
  });

  it.each([
    { link: 'Rows with this tag', shows: 24 },
    { link: 'Failed rows, worst first', shows: 7 },
  ])('leads from "$link" to the rows it means', async ({ link, shows }) => {
    const { page } = await browser.open(await reportInput(hiddenRegression()));
    await page.getByRole('link', { name: link }).click();
    expect(await page.locator('#row-count').textContent()).toBe(`${shows} rows match`);
    expect(await page.evaluate(FOCUS_ID)).toBe('rows');
  });

  it('shows all but the list of rows without JavaScript, and the worst rows even so', async () => {
    const { page } = await browser.open(await reportInput(hiddenRegression()), { javaScriptEnabled: false });
    expect(await page.locator('del').first().isVisible()).toBe(true);
    expect(await page.locator('noscript').textContent()).toContain('refund-window');
    expect(await page.locator('#controls').isVisible()).toBe(false);
  });

  it('prints both answers of every row that changed, folded or not', async () => {
    const { page } = await browser.open(await reportInput(hiddenRegression()));
    await page.emulateMedia({ media: 'print' });
    const folded = page.locator('.change-row:not([open]) .sides').first();
    expect(await folded.evaluate((element) => element.getBoundingClientRect().height)).toBeGreaterThan(20);
    expect(await page.locator('.contents').isVisible()).toBe(false);
  });
});

async function unfoldSome({ page }: OpenReport): Promise<void> {
  await page.evaluate(unfold(15));
  await page.waitForTimeout(50);
}

async function axeFaults({ page }: OpenReport, rules?: readonly string[]): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  const { violations } = await page.evaluate<AxeResults>(runAxe(rules));
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary ?? ''}`);
    return `${id}: ${help}: ${places.join(' | ')}`;
  });
}
