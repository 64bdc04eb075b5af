import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../test/console/support/browser.ts';
import { openShop } from '../../test/console/support/shop.ts';
import { Cloud } from '../../test/e2e/support/cloud.ts';

/** Pictures of the console for the README, of a shop that is made up. Into another folder when one is named. */
const folder = process.argv[2] ?? 'docs/images';
const MOST_BYTES = 300_000;
const WIDE = { width: 1240, height: 800 };
const NARROW = { width: 390, height: 844 };

await mkdir(folder, { recursive: true });
const cloud = await Cloud.start();
const shop = await openShop(cloud);
const browser = await launchBrowser();
try {
  const last = shop.runs.at(-1) ?? '';
  const before = shop.runs.at(-2) ?? '';
  const pictures = [
    { name: 'console-evals', at: `#/projects/${shop.project}`, size: WIDE },
    { name: 'console-run', at: `#/runs/${last}`, size: { ...WIDE, height: 1000 } },
    { name: 'console-row', at: `#/runs/${last}?failed=1&row=returns-2`, size: { ...WIDE, height: 900 }, to: '#rows' },
    { name: 'console-compare', at: `#/compare/${before}/${last}?row=returns-2`, size: { ...WIDE, height: 900 } },
    { name: 'console-dark', at: `#/runs/${last}`, size: { ...WIDE, height: 900 }, isDark: true },
    { name: 'console-phone', at: `#/projects/${shop.project}`, size: NARROW },
  ];
  for (const { name, at, size, to, isDark } of pictures) {
    const context = await browser.newContext({ viewport: size, colorScheme: isDark === true ? 'dark' : 'light' });
    const page = await context.newPage();
    await page.goto(`${cloud.stack.url}/console`);
    await signIn(page);
    await page.goto(`${cloud.stack.url}/console${at}`);
    await page.locator('#main h2, #main table').first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.locator('.loading').waitFor({ state: 'detached' });
    if (to !== undefined) await page.locator(to).evaluate((element) => element.scrollIntoView({ block: 'start' }));
    await page.mouse.move(0, 0);
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    const { size: bytes } = await stat(path);
    console.log(`${path} ${Math.round(bytes / 1000)} KB${bytes > MOST_BYTES ? ': too large' : ''}`);
    await context.close();
  }
} finally {
  await browser.close();
  await cloud.stop();
  await shop.close();
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('API token').fill(cloud.stack.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
}
