import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Cloud, qaEval, qaRows, rightAnswer } from '../e2e/support/cloud.ts';
import { type StubTarget, startStubTarget } from '../e2e/support/stub-target.ts';
import { hasChromium, launchBrowser } from './support/browser.ts';
import { openShop, type Shop } from './support/shop.ts';
import { openPage, type WatchedPage } from './support/watched-page.ts';

describe.skipIf(!hasChromium)('the console in a browser', { timeout: 60_000 }, () => {
  let cloud: Cloud;
  let browser: Browser;
  let shop: Shop;
  const open: WatchedPage[] = [];
  beforeAll(async () => {
    [cloud, browser] = await Promise.all([Cloud.start(), launchBrowser()]);
    shop = await openShop(cloud, [[1, 8], [], [1, 4, 8, 13, 17]]);
  }, 120_000);
  afterEach(async () => {
    for (const { strangers, faults, close } of open.splice(0)) {
      await close();
      expect(strangers).toEqual([]);
      expect(faults).toEqual([]);
    }
  });
  afterAll(async () => {
    await browser.close();
    await cloud.stop();
    await shop.close();
  });

  async function signedIn(hash = '', token?: string) {
    const watched = await openPage(browser, cloud);
    open.push(watched);
    await watched.go(hash);
    await watched.signIn(token);
    return watched.page;
  }
  const crumb = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Where you are' }).getByRole('link', { name, exact: true });
  const lastRun = () => shop.runs.at(-1) ?? '';

  it('is found with a slash at the end too', async () => {
    const reply = await fetch(`${cloud.stack.url}/console/`);
    expect([reply.status, reply.url]).toEqual([200, `${cloud.stack.url}/console`]);
  });

  it('asks for a token, refuses one that is none, and keeps a good one out of local storage and the address', async () => {
    const watched = await openPage(browser, cloud);
    open.push(watched);
    const { page } = watched;
    await watched.go(`#/runs/${lastRun()}`);
    await page.getByLabel('API token').fill('assay_nonsense');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/not valid/);
    await watched.signIn(`Bearer ${cloud.stack.token}\n`);
    await page.getByRole('heading', { name: 'Gate failed' }).waitFor();
    const kept = (await page.evaluate(
      'JSON.stringify([{ ...localStorage }, document.cookie, location.href])',
    )) as string;
    expect(kept).not.toContain(cloud.stack.token);
    expect(kept).toContain(`#/runs/${lastRun()}`);
    await page.reload();
    await page.getByRole('heading', { name: 'Gate failed' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API token').waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
  });

  it('asks again when the token is taken no more, and goes on where one was', async () => {
    const { token, id } = await cloud.expect(201, 'POST', '/api/tokens', { name: 'short-lived' });
    const page = await signedIn(`#/evals/${shop.project}.support-faq`, token);
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await cloud.expect(200, 'DELETE', `/api/tokens/${id}`);
    await page.getByRole('link', { name: shop.project, exact: true }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/not valid any more/);
    await page.getByLabel('API token').fill(cloud.stack.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'tone-of-voice' }).waitFor();
  });

  it('leads from projects to evals with their trend, to runs, and back', async () => {
    const page = await signedIn();
    await page.getByRole('link', { name: 'Corner shop' }).click();
    const row = page.getByRole('row', { name: /support-faq/ });
    expect(await row.textContent()).toMatch(/failed/);
    expect(await row.getByRole('img').getAttribute('aria-label')).toMatch(
      /^Score over 3 runs: from \d\.\d+ to \d\.\d+; the last one failed$/,
    );
    await row.getByRole('link', { name: 'support-faq', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'support-faq' }).waitFor();
    await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBe(4);
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Gate failed' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('row', { name: /tone-of-voice/ }).waitFor();
    expect(await page.title()).toBe(`${shop.project} · Assay`);
  });

  it('goes to the top of what one comes to, and back to where one was', async () => {
    const page = await signedIn(`#/runs/${lastRun()}`);
    await page.getByRole('button', { name: /accounts-3/ }).scrollIntoViewIfNeeded();
    const down = (await page.evaluate('scrollY')) as number;
    expect(down).toBeGreaterThan(300);
    // A click of Playwright's would scroll to the link first.
    await page.evaluate(`document.querySelector('a[href="#/datasets/${shop.project}.support-faq"]').click()`);
    await page.getByRole('heading', { name: 'First rows' }).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await page.getByRole('button', { name: /accounts-3/ }).waitFor();
    await expect.poll(() => page.evaluate('scrollY')).toBe(down);
    await crumb(page, 'support-faq').click();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page.goto(`${cloud.stack.url}/console#/runs/${lastRun()}`);
    await page.getByRole('button', { name: /accounts-3/ }).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
  });

  it('filters rows, opens one by keyboard with all that is known of it, and loses nothing on the way back', async () => {
    const page = await signedIn(`#/runs/${lastRun()}`);
    const rows = page.getByRole('region', { name: 'Rows' });
    await rows.getByRole('status').filter({ hasText: '24 rows' }).waitFor();
    await rows.getByText('Failed', { exact: true }).click();
    await rows.getByRole('status').filter({ hasText: '5 rows with a failure' }).waitFor();
    await rows.getByLabel('Search in rows').fill('write PAYMENT');
    await expect.poll(() => rows.getByRole('listitem').count()).toBe(0);
    await rows.getByRole('button', { name: 'Clear the filters' }).click();
    await rows.getByRole('status').filter({ hasText: '24 rows' }).waitFor();
    await rows.getByLabel('Search in rows').fill('write hotline warranty');
    await expect.poll(() => rows.getByRole('status').textContent()).toMatch(/^1 of 24 rows/);
    await rows.getByRole('button', { name: /warranty-3/ }).focus();
    await page.keyboard.press('Enter');
    await rows.getByText('Please call the hotline').waitFor();
    await rows.getByText('2 contexts').click();
    expect(await rows.textContent()).toMatch(/customers may ask within/);
    expect(new URL(page.url()).hash).toMatch(/\?q=write\+hotline\+warranty&row=/);
    await crumb(page, 'support-faq').click();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page.goBack();
    await rows.getByText('Please call the hotline').waitFor();
    expect(await rows.getByLabel('Search in rows').inputValue()).toBe('write hotline warranty');
    await page.reload();
    await rows.getByText('Please call the hotline').waitFor();
  });

  it('opens the report in a tab of its own, which brings no token', async () => {
    const page = await signedIn(`#/runs/${lastRun()}`);
    const link = page.getByRole('link', { name: /^Report/ });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    const url = new URL((await link.getAttribute('href')) ?? '', page.url());
    expect(url.origin).toBe(cloud.stack.url);
    expect(url.href).not.toContain(cloud.stack.token);
    const reply = await fetch(url);
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('support-faq')]);
  });

  it('shows what an agent did, step by step', async () => {
    const page = await signedIn(`#/runs/${shop.agentRun}?row=move-1`);
    const rows = page.getByRole('region', { name: 'Rows' });
    await rows.getByRole('heading', { name: '4 steps' }).waitFor();
    expect(await rows.textContent()).toMatch(/find_booking.*change_booking.*no room on that day/s);
  });

  it('compares two picked runs, oldest first, with both answers of a regressed row', async () => {
    const page = await signedIn(`#/evals/${shop.project}.support-faq`);
    const picks = page.getByRole('checkbox');
    await picks.nth(0).check();
    await picks.nth(1).check();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const regressed = page.getByRole('region', { name: 'Regressed' });
    await regressed.waitFor();
    expect(page.url()).toContain(`#/compare/${shop.runs.at(-2)}/${lastRun()}`);
    expect(await regressed.getByRole('listitem').count()).toBe(5);
    await regressed.getByRole('button', { name: /returns-2/ }).click();
    await regressed.getByRole('heading', { name: 'Before' }).waitFor();
    expect(await regressed.locator('mark.gone').allTextContents()).not.toEqual([]);
    expect((await regressed.locator('mark.new').allTextContents()).join(' ')).toMatch(/hotline/);
    await page.reload();
    await regressed.getByRole('heading', { name: 'Before' }).waitFor();
  });

  it('brings older runs on demand, each one once', async () => {
    const { registry } = cloud.stack.ports;
    const [run, version] = [await registry.getRun(lastRun()), await registry.getEval(shop.project, 'support-faq')];
    if (run === null || version === null) throw new Error('the shop is closed');
    await registry.addEvalVersion({
      ...version,
      name: 'long-lived',
      config: { ...version.config, name: 'long-lived' },
    });
    for (let day = 0; day < 85; day += 1) {
      const began = new Date(Date.UTC(2026, 0, 1 + day)).toISOString();
      const id = `r-01JE00000000000000000${String(day).padStart(5, '0')}`;
      await registry.createRun({ ...run, run_id: id, eval: 'long-lived', started_at: began, finished_at: began });
    }
    const page = await signedIn(`#/evals/${shop.project}.long-lived`);
    const runs = page.getByRole('region', { name: 'Runs' });
    await expect.poll(() => runs.getByRole('checkbox').count()).toBe(30);
    await runs.getByRole('button', { name: 'Older runs' }).click();
    await expect.poll(() => runs.getByRole('checkbox').count()).toBe(80);
    await runs.getByRole('button', { name: 'Older runs' }).click();
    await expect.poll(() => runs.getByRole('checkbox').count()).toBe(85);
    expect(await runs.getByRole('button', { name: 'Older runs' }).count()).toBe(0);
    const links = await runs.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(new Set(links).size).toBe(85);
  });

  it('previews a dataset', async () => {
    const page = await signedIn(`#/projects/${shop.project}/datasets`);
    await page.getByRole('link', { name: 'support-faq' }).click();
    const rows = page.getByRole('region', { name: 'First rows' });
    await rows.waitFor();
    expect(await rows.textContent()).toMatch(/20 of 24 rows.*returns-1.*within 10 days/s);
  });

  it('makes a run the baseline, a failed one only when one insists', async () => {
    const page = await signedIn(`#/runs/${lastRun()}`);
    await page.getByRole('button', { name: 'Make it the baseline' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Make it the baseline' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await cloud.expect(200, 'GET', `/api/evals/${shop.project}.support-faq/baseline`)).items).toEqual([]);
    await page.getByRole('button', { name: 'Make it the baseline' }).click();
    await dialog.getByLabel('Why (optional)').fill('known to be worse');
    await dialog.getByRole('checkbox').check();
    await confirm.click();
    await page.getByRole('button', { name: 'Baseline set' }).waitFor();
    const { current } = await cloud.expect(200, 'GET', `/api/evals/${shop.project}.support-faq/baseline`);
    expect(current).toMatchObject({ run_id: lastRun(), forced: true, note: 'known to be worse' });
    await crumb(page, 'support-faq').click();
    await page.getByRole('table').getByText('baseline', { exact: true }).waitFor();
  });

  it('offers a token that only reads nothing that would be refused', async () => {
    const { token } = await cloud.expect(201, 'POST', '/api/tokens', { name: 'looker', access: 'read' });
    const page = await signedIn(`#/runs/${lastRun()}`, token);
    await page.getByRole('heading', { name: 'Gate failed' }).waitFor();
    await page.getByText('may read only').waitFor();
    expect(await page.getByRole('button', { name: 'Make it the baseline' }).count()).toBe(0);
    await page.getByRole('link', { name: shop.project, exact: true }).click();
    await page.getByRole('link', { name: 'tone-of-voice' }).waitFor();
    expect(await page.getByRole('button', { name: /^Run/ }).count()).toBe(0);
  });

  describe('with a run under way', () => {
    let bot: StubTarget;
    let release: () => void = () => {};
    let project: string;
    beforeAll(async () => {
      let gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      bot = await startStubTarget((question, call) => {
        if (call > 1 && question === 'question 9') gate = Promise.resolve();
        return { answer: rightAnswer(question), ...(question === 'question 9' ? { after: gate } : {}) };
      });
      project = await cloud.project();
      await cloud.putDataset(project, 'faq', qaRows(12));
      await cloud.putEval(project, qaEval(bot.url));
    });
    afterAll(async () => {
      release();
      await bot.close();
    });

    it('starts it after asking, follows it, cancels it after asking, and tells of its end', async () => {
      const page = await signedIn(`#/projects/${project}`);
      await page.getByRole('button', { name: 'Run faq' }).click();
      await page.getByRole('dialog').getByLabel('Commit (optional)').fill('abc1234def');
      await page.getByRole('dialog').getByRole('button', { name: 'Start the run' }).click();
      await page.getByRole('heading', { name: /^(Running|Queued)$/ }).waitFor();
      const runId = /#\/runs\/([\w-]+)/.exec(page.url())?.[1] ?? '';
      expect(await cloud.expect(200, 'GET', `/api/runs/${runId}`)).toMatchObject({
        sha: 'abc1234def',
        triggered_by: 'console',
      });
      await page.getByRole('progressbar').waitFor();
      await page.getByRole('button', { name: 'Cancel the run' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
      await page.getByRole('heading', { name: /Cancelling|Cancelled/ }).waitFor();
      release();
      await page.getByRole('heading', { name: 'Cancelled' }).waitFor({ timeout: 40_000 });
      await expect
        .poll(() => page.getByRole('status').allTextContents())
        .toContainEqual(expect.stringMatching(/The run is over: cancelled/));
      expect(await page.getByRole('button', { name: 'Cancel the run' }).count()).toBe(0);
    });

    it('does not ask while the page is hidden, and does at once when it is shown again', async () => {
      const page = await signedIn(`#/runs/${lastRun()}`);
      let asked = 0;
      await page.route('**/api/runs/r-*', async (route) => {
        asked += 1;
        const reply = await route.fetch();
        const run = await reply.json();
        await route.fulfill({ json: { ...run, status: 'running', gate: 'pending', finished_at: null } });
      });
      await page.reload();
      await page.getByRole('heading', { name: 'Running' }).waitFor();
      await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(1);
      const hide = (isHidden: boolean) =>
        page.evaluate(
          `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
        );
      await hide(true);
      const before = asked;
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      expect(asked).toBe(before);
      await hide(false);
      await expect.poll(() => asked).toBeGreaterThan(before);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });
  });

  describe('when a call fails', () => {
    it('says what is not there and leads away', async () => {
      const page = await signedIn('#/runs/r-01JD0000000000000000000001');
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toMatch(/Not Found.*there is no run/s);
      await page.getByRole('link', { name: 'All projects' }).click();
      await page.getByRole('link', { name: 'Corner shop' }).waitFor();
      await page.goto(`${cloud.stack.url}/console#/no/such/place/anywhere`);
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    });

    it('offers to try again when the network is down or the server cannot, keeping what was there', async () => {
      const page = await signedIn(`#/projects/${shop.project}`);
      await page.getByRole('link', { name: 'support-faq' }).waitFor();
      const problem = {
        title: 'Service Unavailable',
        detail: 'a service behind the API failed; try again',
        status: 503,
      };
      await page.route('**/api/evals/**', (route) => route.abort());
      await page.getByRole('link', { name: 'support-faq' }).click();
      await page.getByRole('alert').filter({ hasText: 'could not be reached' }).waitFor();
      await page.unroute('**/api/evals/**');
      await page.route('**/api/evals/**', (route) => route.fulfill({ status: 503, json: problem }));
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('alert').filter({ hasText: 'a service behind the API failed' }).waitFor();
      await page.unroute('**/api/evals/**');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'About this eval' }).waitFor();
      await page.route('**/api/evals/**', (route) => route.abort());
      await page.goBack();
      await page.getByText('What you see may be old').waitFor();
      await page.getByRole('link', { name: 'support-faq' }).waitFor();
    });

    it('keeps a dialog open with the reason for a refusal', async () => {
      const page = await signedIn(`#/projects/${shop.project}`);
      const problem = { title: 'Forbidden', detail: 'this token may only read', status: 403, code: 'read-only' };
      await page.route('**/runs', (route) => route.fulfill({ status: 403, json: problem }));
      await page.getByRole('button', { name: 'Run tone-of-voice' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Start the run' }).click();
      await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'this token may only read' }).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });
  });
});
