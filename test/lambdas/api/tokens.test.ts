import { describe, expect, it } from 'vitest';
import { onlyReads, ROUTES } from '../../../lambdas/routes.ts';
import { csv, evalNamed, TestApi } from './api.ts';

async function seeded(): Promise<TestApi> {
  const api = new TestApi();
  await api.seed();
  await api.manage('POST', '/api/projects', { id: 'bank' });
  return api;
}
async function made(api: TestApi, request: object): Promise<{ token: string; id: string }> {
  const { status, json } = await api.manage('POST', '/api/tokens', request);
  expect(status).toBe(201);
  return json;
}
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('tokens', () => {
  it('are told once and kept as a hash', async () => {
    const api = await seeded();
    const { status, json } = await api.manage('POST', '/api/tokens', { name: 'ci', projects: ['shop', 'shop'] });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      name: 'ci',
      projects: ['shop'],
      access: 'write',
      created_by: 'first token',
      expires_at: '2027-02-28T10:00:00.000Z',
      status: 'active',
    });
    expect(json.token).toMatch(/^assay_[a-z0-9]{16}_[A-Za-z0-9_-]{43}$/);
    const list = await api.manage('GET', '/api/tokens');
    expect(list.json.items).toHaveLength(1);
    expect(list.text).not.toContain(json.token);
    expect(list.text).not.toMatch(/hash/);
    expect(JSON.stringify(await api.registry.listTokens())).not.toContain(json.token);
    expect((await api.manage('GET', '/api/projects/shop', undefined, as(json.token))).status).toBe(200);
  });

  it('prove nothing once they expired or were revoked', async () => {
    const api = await seeded();
    const short = await made(api, { name: 'short', expires_in_days: 1 });
    const long = await made(api, { name: 'long', expires_in_days: 366 });
    const statusWith = async ({ token }: { token: string }) =>
      (await api.manage('GET', '/api/projects', undefined, as(token))).status;
    expect([await statusWith(short), await statusWith(long)]).toEqual([200, 200]);
    await api.clock.run(api.clock.sleep(86_400_000));
    expect([await statusWith(short), await statusWith(long)]).toEqual([401, 200]);
    expect((await api.manage('DELETE', `/api/tokens/${long.id}`)).json.status).toBe('revoked');
    expect(await statusWith(long)).toBe(401);
    const { json } = await api.manage('GET', '/api/tokens');
    expect(json.items.map(({ status }: { status: string }) => status).sort()).toEqual(['expired', 'revoked']);
  });

  it('prove nothing with another secret, or another id, or cut off', async () => {
    const api = await seeded();
    const { token } = await made(api, { name: 'ci' });
    const other = await made(api, { name: 'other' });
    const wrong = [
      token.slice(0, -1),
      `${token}x`,
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      `assay_${other.id}_${token.split('_').slice(2).join('_')}`,
      `assay_${'0'.repeat(16)}_${'A'.repeat(43)}`,
      'assay_',
    ];
    for (const text of wrong) expect((await api.manage('GET', '/api/projects', undefined, as(text))).status).toBe(401);
  });

  it('that only read change nothing', async () => {
    const api = await seeded();
    const { token } = await made(api, { name: 'reader', access: 'read' });
    expect((await api.manage('GET', '/api/evals/shop.faq', undefined, as(token))).status).toBe(200);
    for (const route of ROUTES.filter((one) => one.auth === 'management' && !onlyReads(one))) {
      const { method, path } = route;
      const { status, json } = await api.manage(method, path.replaceAll(/\{\w+\}/g, 'shop.faq'), {}, as(token));
      expect([path, status, json.code]).toEqual([path, 403, 'read-only']);
    }
  });

  it('that only read may decide a run again: nothing is changed by it', async () => {
    const api = await seeded();
    const { runId } = await api.startRun();
    await api.finishRun(runId);
    const { token } = await made(api, { name: 'reader', access: 'read' });
    const decided = await api.manage('POST', `/api/runs/${runId}/decide`, {}, as(token));
    expect([decided.status, decided.json.run_id]).toEqual([200, runId]);
  });

  it.each([
    { name: 'of some projects', request: { name: 'x', projects: ['shop'] } },
    { name: 'that only read', request: { name: 'x', access: 'read' } },
  ])('$name make no projects and no tokens, and list none', async ({ request }) => {
    const api = await seeded();
    const { token } = await made(api, request);
    const answers = [
      await api.manage('POST', '/api/projects', { id: 'bank' }, as(token)),
      await api.manage('POST', '/api/projects', { id: 'new' }, as(token)),
      await api.manage('POST', '/api/tokens', { name: 'mine' }, as(token)),
      await api.manage('GET', '/api/tokens', undefined, as(token)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x', projects: [] }, 'projects'],
    [{ name: 'x', projects: ['nowhere'] }, 'projects'],
    [{ name: 'x', access: 'admin' }, 'access'],
    [{ name: 'x', expires_in_days: 0 }, 'expires_in_days'],
    [{ name: 'x', expires_in_days: 367 }, 'expires_in_days'],
    [{ name: 'x', forever: true }, 'forever'],
  ])('are refused for %j, with the field', async (request, field) => {
    const { status, json } = await (await seeded()).manage('POST', '/api/tokens', request);
    expect([400, 422]).toContain(status);
    expect(JSON.stringify(json.faults)).toContain(field);
  });
});

describe('a token of one project', () => {
  /** The same things twice: in `shop`, which the token does not reach, and nowhere. */
  async function worlds() {
    const api = await seeded();
    const { runId } = await api.startRun();
    api.reports.set(runId, { html: '<h1>secret</h1>' });
    const { token } = await made(api, { name: 'bank', projects: ['bank'] });
    return { api, token, runId };
  }
  const unknownRun = 'r-01JD0000000000000000000009';
  const bodies: Readonly<Record<string, object>> = {
    putEval: evalNamed('faq'),
    createEval: evalNamed('faq'),
    openUpload: { name: 'x.csv', size: 10 },
    setEvalState: { active: false },
  };

  it('is told of a thing of another project what it is told of a thing that is not', async () => {
    const { api, token, runId } = await worlds();
    const told: string[] = [];
    for (const route of ROUTES.filter(({ auth, path }) => auth === 'management' && path.includes('{'))) {
      if (route.path.startsWith('/api/tokens')) continue;
      const at = (project: string, run: string) =>
        route.path
          .replace('{project}', project)
          .replace('{uploadId}', `faq.csv.${'0'.repeat(32)}`)
          .replace('{other}', run)
          .replace(
            '{id}',
            route.path.includes('/runs/{') ? run : route.path.includes('projects') ? project : `${project}.faq`,
          );
      const body = route.method === 'GET' ? undefined : (bodies[route.operation] ?? {});
      const theirs = await api.manage(route.method, at('shop', runId), body, as(token));
      const nobodys = await api.manage(route.method, at('nope', unknownRun), body, as(token));
      const plain = (text: string) =>
        text
          .replaceAll(/shop|nope/g, '_')
          .replaceAll(runId, 'run')
          .replaceAll(unknownRun, 'run');
      expect([route.operation, theirs.status, plain(theirs.text)]).toEqual([
        route.operation,
        nobodys.status,
        plain(nobodys.text),
      ]);
      if (route.operation !== 'putDataset') expect([route.operation, theirs.status]).toEqual([route.operation, 404]);
      told.push(theirs.text);
    }
    expect(told.join()).not.toContain('secret');
    // Nothing was changed behind the answers.
    expect((await api.manage('GET', `/api/runs/${runId}`)).json.cancel_requested).toBe(false);
    expect((await api.manage('GET', '/api/evals/shop.faq')).json.version).toBe(1);
    expect((await api.manage('GET', '/api/datasets/shop.faq')).status).toBe(200);
  });

  it('sees its own project alone, and works there', async () => {
    const { api, token } = await worlds();
    const { json } = await api.manage('GET', '/api/projects', undefined, as(token));
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual(['bank']);
    const form = await api.upload('bank', { file: csv('input,expected\nHi,Hello\n'), name: 'faq' });
    expect(form.status).toBe(201);
    expect((await api.manage('POST', '/api/evals/project/bank', evalNamed('faq'), as(token))).status).toBe(201);
    const started = await api.manage('POST', '/api/evals/bank.faq/runs', {}, as(token));
    expect(started.status).toBe(202);
    expect((await api.manage('DELETE', `/api/runs/${started.json.runs[0].run_id}`, undefined, as(token))).status).toBe(
      202,
    );
  });
});
