import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { type HtmlReportInput, renderHtmlReport } from '../../../src/report/html-report.ts';
import { launchBrowser } from '../../console/support/browser.ts';
import { collect } from '../finished-run.ts';

export interface OpenOptions {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** Scripts that the page's policy forbids may run: the tests' own, and what hostile text smuggled in. */
  readonly bypassCSP?: boolean;
  readonly javaScriptEnabled?: boolean;
  /** With its `#`. */
  readonly hash?: string;
}

export interface OpenReport {
  readonly page: Page;
  /** Errors of the page's script, dialogs and requests for anything but the page: there may be none. */
  readonly trouble: string[];
}

/** A browser that opens reports as a person does: from a file. */
export class ReportBrowser {
  readonly #browser: Browser;
  readonly #folder: string;
  #files = 0;

  private constructor(browser: Browser, folder: string) {
    this.#browser = browser;
    this.#folder = folder;
  }

  static async start(): Promise<ReportBrowser> {
    return new ReportBrowser(await launchBrowser(), await mkdtemp(join(tmpdir(), 'assay-report-')));
  }

  async open(input: HtmlReportInput, options: OpenOptions = {}): Promise<OpenReport> {
    return this.openText(await collect(renderHtmlReport(input)), options);
  }

  async openText(text: string, { width = 1280, hash = '', ...options }: OpenOptions = {}): Promise<OpenReport> {
    this.#files += 1;
    const path = join(this.#folder, `report-${this.#files}.html`);
    await writeFile(path, text);
    const context = await this.#browser.newContext({ viewport: { width, height: 900 }, ...options });
    const page = await context.newPage();
    const url = pathToFileURL(path).href;
    const trouble: string[] = [];
    page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
    page.on('console', (message) => message.type() === 'error' && trouble.push(`console: ${message.text()}`));
    page.on('dialog', (dialog) => {
      trouble.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) trouble.push(`request: ${request.url().slice(0, 200)}`);
    });
    await page.goto(url + hash);
    return { page, trouble };
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
