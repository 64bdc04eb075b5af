import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cloud } from '../e2e/support/cloud.ts';
import { hasChromium, launchBrowser } from './support/browser.ts';
import { HOSTILE_ANSWERS, openHostile } from './support/hostile.ts';
import { openPage, type WatchedPage } from './support/watched-page.ts';

const SIZES = [
  { name: 'a wide screen', viewport: { width: 1200, height: 900 } },
  { name: 'a phone', viewport: { width: 390, height: 844 } },
];

describe.skipIf(!hasChromium)('hostile text in the console', { timeout: 60_000 }, () => {
  let cloud: Cloud;
  let browser: Browser;
  let hostile: Awaited<ReturnType<typeof openHostile>>;
  beforeAll(async () => {
    [cloud, browser] = await Promise.all([Cloud.start(), launchBrowser()]);
    hostile = await openHostile(cloud);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await cloud.stop();
    await hostile.close();
  });

  const rowId = (kind: string) => `${kind} "><img src=x onerror=window.hacked=1>`;
  const places = () => [
    '#/',
    `#/projects/${hostile.project}`,
    `#/projects/${hostile.project}/datasets`,
    `#/datasets/${hostile.project}.attacks`,
    `#/evals/${hostile.project}.attacks`,
    `#/runs/${hostile.runId}`,
    ...Object.keys(HOSTILE_ANSWERS).map((kind) => `#/runs/${hostile.runId}?row=${encodeURIComponent(rowId(kind))}`),
    `#/compare/${hostile.runId}/${hostile.runId}`,
    '#/runs/%3Cscript%3Ewindow.hacked=1%3C%2Fscript%3E',
    '#/evals/javascript:window.hacked=1',
    '#/compare/..%2F..%2Fx/%00',
  ];

  async function expectSound({ page, strangers, faults }: WatchedPage, place: string): Promise<void> {
    const state = (await page.evaluate(
      `({ hacked: window.hacked, wide: document.documentElement.scrollWidth - innerWidth, odd: document.querySelectorAll('#app :is(script, img, iframe, object, embed, a[href^="javascript" i], [onclick], [onerror], [onload])').length })`,
    )) as { hacked: unknown; wide: number; odd: number };
    expect([place, state]).toEqual([place, { hacked: undefined, wide: expect.any(Number), odd: 0 }]);
    expect([place, state.wide <= 0]).toEqual([place, true]);
    expect([place, strangers, faults]).toEqual([place, [], []]);
  }

  it.each(SIZES)('runs nowhere, asks nobody and breaks no layout, on $name', async ({ viewport }) => {
    const watched = await openPage(browser, cloud, { viewport });
    await watched.go('');
    await watched.signIn();
    for (const place of places()) {
      await watched.go(place);
      await watched.page.waitForLoadState('networkidle');
      await expect.poll(() => watched.page.locator('.loading').count()).toBe(0);
      await expectSound(watched, place);
    }
    await watched.close();
  });

  async function openRow(kind: string): Promise<{ watched: WatchedPage; page: Page }> {
    const watched = await openPage(browser, cloud);
    await watched.go(`#/runs/${hostile.runId}?row=${encodeURIComponent(rowId(kind))}`);
    await watched.signIn();
    await watched.page.getByRole('heading', { name: 'Answer' }).waitFor();
    return { watched, page: watched.page };
  }
  const answer = (page: Page) => page.locator('.result .text').first();

  it('spells out what is hidden and turns no reading direction', async () => {
    const bidi = await openRow('bidi');
    expect(await answer(bidi.page).textContent()).toBe(
      'user ⟨U+202E⟩⟨U+2066⟩// admin⟨U+2069⟩⟨U+2066⟩ only ⟨U+200B⟩⟨U+202D⟩text',
    );
    expect(await answer(bidi.page).evaluate((element) => getComputedStyle(element).unicodeBidi)).toMatch(
      /isolate|plaintext/,
    );
    await bidi.watched.close();
    const ansi = await openRow('ansi');
    const text = (await answer(ansi.page).textContent()) ?? '';
    expect(text).toContain('⟨U+001B⟩[31mred');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
    await ansi.watched.close();
  });

  it('shows markup as the text that it is', async () => {
    const { watched, page } = await openRow('script');
    expect(await answer(page).textContent()).toBe(HOSTILE_ANSWERS.script);
    await watched.close();
  });

  it('folds a megabyte, unfolds it step by step, and stays quick', async () => {
    const { watched, page } = await openRow('long');
    const before = ((await answer(page).textContent()) ?? '').length;
    expect(before).toBeLessThan(1_000);
    const more = page.locator('.result').getByRole('button', { name: 'Show more of answer' });
    await more.click();
    await more.click();
    expect(((await answer(page).textContent()) ?? '').length).toBe(40_001);
    await page.locator('.result').getByRole('button', { name: 'Fold answer' }).click();
    expect(((await answer(page).textContent()) ?? '').length).toBe(before);
    await watched.close();
  });
});
