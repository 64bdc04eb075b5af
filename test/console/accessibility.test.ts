import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cloud } from '../e2e/support/cloud.ts';
import { hasChromium, launchBrowser } from './support/browser.ts';
import { openShop, type Shop } from './support/shop.ts';
import { openPage, type WatchedPage } from './support/watched-page.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describe.skipIf(!hasChromium)('the console for everybody', { timeout: 90_000 }, () => {
  let cloud: Cloud;
  let browser: Browser;
  let shop: Shop;
  beforeAll(async () => {
    [cloud, browser] = await Promise.all([Cloud.start(), launchBrowser()]);
    shop = await openShop(cloud, [[], [1, 8, 13]]);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await cloud.stop();
    await shop.close();
  });

  async function violations({ page }: WatchedPage): Promise<string[]> {
    await page.waitForLoadState('networkidle');
    await expect.poll(() => page.locator('.loading').count()).toBe(0);
    await page.evaluate(AXE);
    const { violations: found, passes } = (await page.evaluate(
      'axe.run(document).then(({ violations, passes }) => ({ violations, passes: passes.map(({ id }) => id) }))',
    )) as { violations: Violation[]; passes: string[] };
    // It did look: no page is without a text of some contrast.
    expect(passes).toContain('color-contrast');
    return found.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    );
  }

  const [first, last] = [() => shop.runs[0] ?? '', () => shop.runs.at(-1) ?? ''];
  const places = () => [
    '#/',
    `#/projects/${shop.project}`,
    `#/projects/${shop.project}/datasets`,
    `#/datasets/${shop.project}.support-faq`,
    `#/evals/${shop.project}.support-faq`,
    `#/runs/${last()}?failed=1&row=returns-2`,
    `#/runs/${shop.agentRun}?row=move-1`,
    `#/runs/${last()}?q=nothing+like+it`,
    `#/compare/${first()}/${last()}?row=returns-2`,
    '#/runs/r-01JD0000000000000000000001',
    '#/nowhere/at/all',
  ];

  it.each([
    { scheme: 'light', width: 1200 },
    { scheme: 'dark', width: 1200 },
    { scheme: 'light', width: 390 },
    { scheme: 'dark', width: 390 },
  ] as const)('has no fault that axe knows of: $scheme, $width px wide', async ({ scheme, width }) => {
    const watched = await openPage(browser, cloud, { colorScheme: scheme, viewport: { width, height: 900 } });
    const found: string[] = [];
    await watched.go('');
    await watched.page.getByLabel('API token').fill('wrong');
    await watched.page.getByRole('button', { name: 'Sign in' }).click();
    await watched.page.getByRole('alert').waitFor();
    found.push(...(await violations(watched)));
    await watched.signIn();
    for (const place of places()) {
      await watched.go(place);
      found.push(...(await violations(watched)).map((text) => `${place} ${text}`));
    }
    for (const [place, name] of [
      [`#/evals/${shop.project}.support-faq`, 'Start a run'],
      [`#/runs/${last()}`, 'Make it the baseline'],
    ] as const) {
      await watched.go(place);
      await watched.page.getByRole('button', { name }).first().click();
      await watched.page.getByRole('dialog').waitFor();
      found.push(...(await violations(watched)).map((text) => `${name} ${text}`));
      await watched.page.keyboard.press('Escape');
    }
    expect(found).toEqual([]);
    await watched.close();
  });

  it('is walked through by Tab alone, in reading order, with the focus always seen', async () => {
    const watched = await openPage(browser, cloud);
    await watched.go(`#/runs/${last()}`);
    await watched.signIn();
    const { page } = watched;
    await page.getByRole('heading', { name: 'About this run' }).waitFor();
    await page.evaluate('document.activeElement?.blur()');
    const stops: { name: string; top: number; outline: string }[] = [];
    for (let stop = 0; stop < 16; stop += 1) {
      await page.keyboard.press('Tab');
      stops.push(
        (await page.evaluate(
          `(() => { const e = document.activeElement; const s = getComputedStyle(e.closest('.segments') ?? e); const r = e.getBoundingClientRect(); return { name: (e.textContent || e.getAttribute('aria-label') || '').trim(), top: Math.round(r.top + scrollY), outline: s.outlineStyle }; })()`,
        )) as (typeof stops)[number],
      );
    }
    expect(stops[0]?.name).toBe('Skip to content');
    expect(stops.map(({ outline }) => outline)).toEqual(stops.map(() => 'solid'));
    const inPage = stops.slice(stops.findIndex(({ name }) => name.startsWith('Sign out')) + 1);
    // Controls of one line differ by a few pixels.
    expect(inPage.every(({ top }, at) => at === 0 || top >= (inPage[at - 1]?.top ?? 0) - 12)).toBe(true);
    await watched.close();
  });

  it('gives the focus to the heading of the view that one comes to, and back to the button that a dialog came from', async () => {
    const watched = await openPage(browser, cloud);
    await watched.go(`#/projects/${shop.project}`);
    await watched.signIn();
    const { page } = watched;
    await page.getByRole('link', { name: 'support-faq', exact: true }).click();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.getByRole('button', { name: 'Start a run' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Start a run');
    await watched.close();
  });
});
