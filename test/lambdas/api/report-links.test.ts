import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ApiPorts } from '../../../lambdas/api/ports.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { LINK_KEY, logged, SECRET, START_MS, TestApi } from './api.ts';

const DAY_MS = 86_400_000;
const PAGE = { url: 'https://bucket.example/report.html?X-Amz-Signature=1' };
const UNKNOWN_RUN = 'r-01JD0000000000000000000009';

async function withReport(changes: Partial<ApiPorts> = {}) {
  const api = new TestApi(changes);
  await api.seed();
  const { runId, gateId } = await api.startRun();
  await api.finishRun(runId);
  await api.registry.updateRun(runId, ['passed'], {
    decision: { outcome: 'pass', policy_hash: 'a'.repeat(64), reasons: [] },
  });
  api.reports.set(runId, PAGE);
  api.reports.set(`${runId} junit.xml`, { url: 'https://bucket.example/junit.xml' });
  const gate = async () =>
    (await api.call('GET', `/api/gates/${gateId}`, { headers: { 'x-webhook-secret': SECRET } })).json;
  const open = (link: string) => {
    const [path = '', query = ''] = link.split('?');
    return api.call('GET', path, { query });
  };
  const later = (ms: number) => api.clock.run(api.clock.sleep(ms));
  return { api, runId, gate, open, later };
}

/** As the app would sign it. */
function signedLink(path: string, expires: number | string, key = LINK_KEY): string {
  const signature = createHmac('sha256', key).update(`assay link v1\nGET ${path}\n${expires}`).digest('base64url');
  return `${path}?expires=${expires}&signature=${signature}`;
}
const inDays = (days: number) => Math.floor((START_MS + days * DAY_MS) / 1_000);

describe('a link to a report', () => {
  it('stands in the gate and opens without a token, unlisted and unreferred', async () => {
    const { gate, open, runId } = await withReport();
    const { report_url, junit_url, runs } = await gate();
    expect(report_url).toMatch(new RegExp(`^/api/links/${runId}/report\\?expires=\\d{10}&signature=[\\w-]{43}$`));
    expect(runs[0]).toMatchObject({ report_url, junit_url });
    const { status, headers, text } = await open(report_url);
    expect([status, headers.location, text]).toEqual([302, PAGE.url, '']);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect((await open(junit_url)).headers.location).toBe('https://bucket.example/junit.xml');
  });

  it('stands in the run as well, and there is none before the run is over', async () => {
    const { api, runId, gate } = await withReport();
    const { json } = await api.manage('GET', `/api/runs/${runId}`);
    expect(json.report_url).toBe((await gate()).report_url);
    const other = await api.startRun();
    const pending = (await api.manage('GET', `/api/runs/${other.runId}`)).json;
    expect([pending.report_url, pending.junit_url]).toEqual([null, null]);
  });

  it('holds no token and no secret', async () => {
    const { gate } = await withReport();
    const { report_url } = await gate();
    for (const secret of [SECRET, LINK_KEY, 'first-token']) expect(report_url).not.toContain(secret);
  });

  it('is told alike to who asks twice', async () => {
    const { gate, later } = await withReport();
    const first = await gate();
    await later(60_000);
    expect((await gate()).report_url).toBe(first.report_url);
  });

  it('opens for just below 7 days and is gone then', async () => {
    const { gate, open, later } = await withReport();
    const { report_url } = await gate();
    const left = Number(/expires=(\d+)/.exec(report_url)?.[1]) * 1_000 - START_MS;
    expect(left).toBeGreaterThan(7 * DAY_MS - 3_600_000);
    expect(left).toBeLessThanOrEqual(7 * DAY_MS);
    await later(left - 1_000);
    expect((await open(report_url)).status).toBe(302);
    await later(1_000);
    const { status, json } = await open(report_url);
    expect([status, json.code]).toEqual([410, 'link-expired']);
    expect((await open((await gate()).report_url)).status).toBe(302);
  });

  it('opens nothing else, and what nobody signed is told alike whether the run exists', async () => {
    const { api, runId, gate, open, later } = await withReport();
    const other = await api.startRun();
    api.reports.set(other.runId, PAGE);
    const { report_url: link } = await gate();
    const signature = /signature=(.*)$/.exec(link)?.[1] ?? '';
    const path = `/api/links/${runId}/report`;
    const expiresAs = (change: (seconds: string) => string) =>
      link.replace(/expires=(\d+)/, (_: string, seconds: string) => `expires=${change(seconds)}`);
    const flipped = `${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`;
    const forged = [
      link.replace('/report?', '/junit?'),
      link.replace(runId, other.runId),
      link.replace(runId, UNKNOWN_RUN),
      expiresAs((seconds) => String(Number(seconds) + 3_600)),
      expiresAs((seconds) => `0${seconds}`),
      expiresAs((seconds) => `${seconds}.0`),
      link.replace(/expires=\d+&/, ''),
      link.replace(/signature=.*/, ''),
      link.replace(signature, ''),
      link.replace(signature, signature.slice(0, -1)),
      link.replace(signature, `${signature}=`),
      link.replace(signature, flipped),
      link.replace(signature, signature.toLowerCase()),
      `${path}?expires=${inDays(1)}&signature=${'A'.repeat(43)}&signature=${signature}`,
      signedLink(path, inDays(1), ''),
      signedLink(path, inDays(1), SECRET),
      signedLink(path, inDays(1), 'first-token'),
      // Signed by us, yet for longer than any link lives, or for no time at all.
      signedLink(path, inDays(8)),
      signedLink(path, ''),
      signedLink(path, 'Infinity'),
      signedLink(path, '9'.repeat(40)),
    ];
    const answers = await Promise.all(forged.map(async (text) => [text, ...Object.values(await open(text))]));
    const [first] = answers;
    for (const answer of answers) expect(answer.slice(1)).toEqual(first?.slice(1));
    expect(first?.[1]).toBe(404);
    await later(8 * DAY_MS);
    // Not even that a forged link would have expired.
    expect((await open(link.replace(signature, flipped))).status).toBe(404);
  });

  it('is refused for ids that are none before anything is signed or looked up', async () => {
    const { open } = await withReport();
    for (const id of ['..', '%2e%2e', 'r-1', '__proto__', `${UNKNOWN_RUN}\n`]) {
      expect((await open(signedLink(`/api/links/${id}/report`, inDays(1)))).status).toBe(404);
    }
  });

  it('leaves no trace of its signature in the log, whatever becomes of it', async () => {
    const { api, runId, gate, open } = await withReport({ openReport: () => Promise.reject(new Error('S3 is away')) });
    const { report_url } = await gate();
    expect((await open(report_url)).status).toBe(500);
    await open(report_url.replace(runId, UNKNOWN_RUN));
    expect(JSON.stringify(logged)).not.toContain(report_url.slice(-43));
    expect((await api.manage('GET', `/api/runs/${runId}/report`)).status).toBe(500);
  });

  it('of a run whose report is gone says so', async () => {
    const { api, runId, gate, open } = await withReport();
    api.reports.clear();
    const { status, json } = await open((await gate()).report_url);
    expect([status, json.code]).toEqual([404, 'no-report']);
    expect((await api.manage('GET', `/api/runs/${runId}/junit`)).json.code).toBe('no-report');
  });
});

describe('links to reports', () => {
  it('die by rotation at once, and new ones open', async () => {
    const { api, gate, open } = await withReport();
    const before = (await gate()).report_url;
    const { status, json } = await api.manage('POST', '/api/links/rotate');
    expect([status, json]).toEqual([200, { previous_valid: false }]);
    expect((await open(before)).status).toBe(404);
    expect((await open((await gate()).report_url)).status).toBe(302);
  });

  it('outlive one rotation that keeps the key before, and no second', async () => {
    const { api, gate, open } = await withReport();
    const before = (await gate()).report_url;
    const rotate = () => api.manage('POST', '/api/links/rotate', { keep_previous: true });
    expect((await rotate()).json).toEqual({ previous_valid: true });
    expect((await open(before)).status).toBe(302);
    await rotate();
    expect((await open(before)).status).toBe(404);
  });

  it.each([{ projects: ['shop'] }, { access: 'read' }])('are revoked by nobody who holds %j', async (limits) => {
    const { api } = await withReport();
    const { json } = await api.manage('POST', '/api/tokens', { name: 'x', ...limits });
    const headers = { authorization: `Bearer ${json.token}` };
    expect((await api.manage('POST', '/api/links/rotate', {}, { headers })).status).toBe(403);
  });

  it('are not given where the stage wants none: the path takes a token', async () => {
    const { api, gate, runId } = await withReport({ reportLinkDays: 0 });
    const { report_url, junit_url } = await gate();
    expect([report_url, junit_url]).toEqual([`/api/runs/${runId}/report`, `/api/runs/${runId}/junit`]);
    expect((await api.call('GET', report_url)).status).toBe(401);
    expect((await api.manage('GET', junit_url)).status).toBe(302);
  });

  it('are not given without a key to sign with, and an empty key signs nothing', async () => {
    const { api, gate, open, runId } = await withReport();
    await api.systemSecrets.putReportLinks({ current: '' });
    expect((await gate()).report_url).toBe(`/api/runs/${runId}/report`);
    expect((await open(signedLink(`/api/links/${runId}/report`, inDays(1), ''))).status).toBe(404);
  });

  it('hide no gate while the key cannot be read, and open nothing then', async () => {
    const { api, gate, open, runId } = await withReport();
    const before = (await gate()).report_url;
    api.systemSecrets.reportLinks = () => Promise.reject(new StorageError('Secrets Manager is away'));
    expect(await gate()).toMatchObject({ gate: 'pass', report_url: `/api/runs/${runId}/report` });
    const { status, json } = await open(before);
    expect([status, json.code]).toEqual([503, 'unavailable']);
    expect(JSON.stringify(json)).not.toContain('Secrets Manager');
  });

  it('never live longer than 7 days, whatever the stage says', async () => {
    const { gate } = await withReport({ reportLinkDays: 30 });
    expect(Number(/expires=(\d+)/.exec((await gate()).report_url)?.[1])).toBeLessThanOrEqual(inDays(7));
  });
});
