import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Cloud } from '../../e2e/support/cloud.ts';

/** A page of the console, with everything that it must not do on record. */
export interface WatchedPage {
  readonly page: Page;
  /** Requests to anywhere but the API. */
  readonly strangers: string[];
  /** What broke the content security policy, and errors that nobody caught. */
  readonly faults: string[];
  go(hash: string): Promise<void>;
  signIn(token?: string): Promise<void>;
  close(): Promise<void>;
}

export async function openPage(
  browser: Browser,
  cloud: Cloud,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const strangers: string[] = [];
  const faults: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(cloud.stack.url).origin) strangers.push(request.url());
  });
  page.on('pageerror', (error) => void faults.push(String(error)));
  page.on('console', (message) => {
    if (/content security policy|trusted/i.test(message.text())) faults.push(message.text());
  });
  const go = async (hash: string) => {
    await page.goto(`${cloud.stack.url}/console${hash}`);
  };
  return {
    page,
    strangers,
    faults,
    go,
    async signIn(token = cloud.stack.token) {
      await page.getByLabel('API token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    },
    close: () => context.close(),
  };
}
