import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Call, evalNamed, SECRET, START_MS, signed, TestApi } from './api.ts';

const PATH = '/api/runs/webhook/shop';
const BODY = '{"triggered_by":"ci"}';
const withSecret = { 'x-webhook-secret': SECRET };

async function seeded(evals?: readonly string[]): Promise<TestApi> {
  const api = new TestApi();
  await api.seed(evals);
  return api;
}

describe('who may start runs', () => {
  const oddBody = '{ "triggered_by": "ci",\n  "ref": "refs/heads/main", "n": 1.0 }';
  const accepted: { name: string; call: Call }[] = [
    { name: 'the secret', call: { headers: withSecret, body: BODY } },
    { name: 'a header spelled as sent', call: { headers: { 'X-Webhook-Secret': SECRET }, body: BODY } },
    { name: 'no body', call: { headers: withSecret } },
    { name: 'an empty body', call: { headers: withSecret, body: '' } },
    { name: 'a body of blanks', call: { headers: withSecret, body: ' \n' } },
    { name: 'a base64 body', call: { headers: withSecret, body: Buffer.from(BODY).toString('base64'), base64: true } },
    { name: 'a signature over the raw bytes', call: { headers: signed(oddBody), body: oddBody } },
    { name: 'a signature over a base64 body', call: { headers: signed(oddBody), body: Buffer.from(oddBody) } },
    { name: 'a signature over no body', call: { headers: signed('') } },
    { name: 'a signature 300 s old', call: { headers: signed(BODY, { atMs: START_MS - 300_000 }), body: BODY } },
    { name: 'a signature 300 s ahead', call: { headers: signed(BODY, { atMs: START_MS + 300_000 }), body: BODY } },
  ];
  it.each(accepted)('takes $name', async ({ call }) => {
    const api = await seeded();
    const { status, json } = await api.call('POST', PATH, call);
    expect(status).toBe(202);
    expect(json).toMatchObject({
      status_url: `/api/gates/${json.gate_run_id}`,
      runs: [{ eval: 'faq', status: 'queued' }],
    });
    expect(api.workflow.executions.size).toBe(1);
  });

  const wrongHex = `sha256=${'0'.repeat(64)}`;
  const refused: { name: string; call: Call }[] = [
    { name: 'another secret of the same length', call: { headers: { 'x-webhook-secret': 'demo-webhook-secret-A2' } } },
    { name: 'a shorter secret', call: { headers: { 'x-webhook-secret': 'short' } } },
    { name: 'a longer secret', call: { headers: { 'x-webhook-secret': `${SECRET}x` } } },
    { name: 'a secret of 10 KB', call: { headers: { 'x-webhook-secret': 'x'.repeat(10_000) } } },
    { name: 'an empty secret', call: { headers: { 'x-webhook-secret': '' } } },
    { name: 'a secret that is sent twice', call: { headers: { 'x-webhook-secret': `${SECRET},${SECRET}` } } },
    { name: 'no header', call: {} },
    { name: 'the API token', call: { headers: { authorization: 'Bearer first-token' } } },
    { name: 'a signature over other bytes', call: { headers: signed(`${BODY} `), body: BODY } },
    { name: 'a signature by another secret', call: { headers: signed(BODY, { secret: 'x' }), body: BODY } },
    { name: 'a signature 301 s old', call: { headers: signed(BODY, { atMs: START_MS - 301_000 }), body: BODY } },
    { name: 'a signature 301 s ahead', call: { headers: signed(BODY, { atMs: START_MS + 301_000 }), body: BODY } },
    { name: 'a signature without its time', call: { headers: { 'x-assay-signature': wrongHex } } },
    { name: 'a time that is none', call: { headers: { ...signed(BODY), 'x-assay-timestamp': 'NaN' }, body: BODY } },
    { name: 'a signature of another length', call: { headers: { ...signed(BODY), 'x-assay-signature': 'sha256=ab' } } },
    {
      name: 'a wrong signature beside the right secret',
      call: { headers: { ...withSecret, 'x-assay-timestamp': '1', 'x-assay-signature': wrongHex } },
    },
  ];
  it.each(refused)('refuses $name', async ({ call }) => {
    const api = await seeded();
    const { status, json, text } = await api.call('POST', PATH, call);
    expect(status).toBe(401);
    expect(json.code).toBe('unauthorized');
    expect(text).not.toContain(SECRET);
    expect(api.workflow.executions.size).toBe(0);
  });

  it('answers a project that does not exist like a wrong secret', async () => {
    const api = await seeded();
    const unknown = await api.call('POST', '/api/runs/webhook/nobody', { headers: withSecret });
    const wrong = await api.call('POST', PATH, { headers: { 'x-webhook-secret': 'x' } });
    expect([unknown.status, unknown.text]).toEqual([401, wrong.text]);
  });

  it.each([`${SECRET}\n`, ` ${SECRET}\r\n`])('takes the secret that was stored as %j', async (stored) => {
    const api = await seeded();
    await api.systemSecrets.putWebhook('shop', { current: stored });
    expect((await api.call('POST', PATH, { headers: withSecret })).status).toBe(202);
  });

  it('never takes an empty secret for a stored one of blanks', async () => {
    const api = await seeded();
    await api.systemSecrets.putWebhook('shop', { current: '\n', previous: ' ' });
    expect((await api.call('POST', PATH, { headers: { 'x-webhook-secret': ' ' } })).status).toBe(401);
    expect((await api.call('POST', PATH, { headers: signed('', { secret: '' }) })).status).toBe(401);
  });

  const seconds = String(START_MS / 1_000);
  it.each([
    '',
    ' ',
    `${seconds}.0`,
    `${seconds}e0`,
    `+${seconds}`,
    `-${seconds}`,
    ` ${seconds}`,
    `${seconds}\n`,
    `0x${(START_MS / 1_000).toString(16)}`,
    String(START_MS), // milliseconds
    `${seconds},${seconds}`,
    '1'.repeat(400),
    '١٧٩٦٠٣٢٨٠٠',
    'Infinity',
  ])('refuses the time %j, although it is signed with the right secret', async (timestamp) => {
    const api = new TestApi();
    await api.seed();
    const mac = createHmac('sha256', SECRET).update(`${timestamp}.${BODY}`).digest('hex');
    const headers = { 'x-assay-timestamp': timestamp, 'x-assay-signature': `sha256=${mac}` };
    const { status, json } = await api.call('POST', PATH, { headers, body: BODY });
    expect([status, json.code]).toEqual([401, 'unauthorized']);
    expect(api.workflow.executions.size).toBe(0);
  });

  it('takes signatures by either live secret, stored with a line break or not', async () => {
    const api = new TestApi();
    await api.seed();
    await api.systemSecrets.putWebhook('shop', { current: 'new-secret\n', previous: `${SECRET}\r\n` });
    const statusBy = async (secret: string) =>
      (await api.call('POST', PATH, { headers: signed(BODY, { secret }), body: BODY })).status;
    expect([await statusBy('new-secret'), await statusBy(SECRET)]).toEqual([202, 202]);
    expect([await statusBy('new-secret\n'), await statusBy('')]).toEqual([401, 401]);
  });

  it('takes both live secrets during a rotation, and the newer two after the next', async () => {
    const api = await seeded();
    const rotate = async () => (await api.manage('POST', '/api/projects/shop/webhook-secret')).json.webhook_secret;
    const tries = async (secret: string) =>
      (await api.call('POST', PATH, { headers: { 'x-webhook-secret': secret } })).status;
    const second = await rotate();
    expect([await tries(SECRET), await tries(second)]).toEqual([202, 202]);
    const third = await rotate();
    expect([await tries(SECRET), await tries(second), await tries(third)]).toEqual([401, 202, 202]);
  });

  it('looks past the cache once when a secret does not match', async () => {
    const asked: boolean[] = [];
    const systemSecrets = {
      webhook: async (_project: string, { fresh = false } = {}) => {
        asked.push(fresh);
        return { current: fresh ? 'rotated' : 'cached' };
      },
      apiToken: async () => 'first-token',
      reportLinks: async () => null,
      putReportLinks: async () => undefined,
      putWebhook: async () => undefined,
      deleteWebhook: async () => undefined,
    };
    const api = new TestApi({ systemSecrets });
    await api.seed();
    asked.length = 0;
    const { status } = await api.call('POST', PATH, { headers: { 'x-webhook-secret': 'rotated' } });
    expect([status, asked]).toEqual([202, [false, true]]);
  });
});

describe('what a webhook call starts', () => {
  it('keeps where it came from, and ignores what else a sender tells', async () => {
    const api = await seeded();
    const body = JSON.stringify({
      triggered_by: 'gh',
      ref: 'refs/heads/main',
      sha: 'abc',
      evals: null,
      repository: { id: 1 },
    });
    const { json } = await api.call('POST', PATH, { headers: withSecret, body });
    const run = await api.registry.getRun(json.runs[0].run_id);
    expect(run).toMatchObject({ triggered_by: 'gh', ref: 'refs/heads/main', sha: 'abc' });
  });

  it.each([
    { name: 'every active eval', body: {}, evals: ['active', 'other'] },
    { name: 'an eval that is named, active or not', body: { evals: ['asleep'] }, evals: ['asleep'] },
    { name: 'an eval named as the API names it', body: { evals: ['shop.other'] }, evals: ['other'] },
    { name: 'an eval named twice once', body: { evals: ['other', 'shop.other'] }, evals: ['other'] },
  ])('starts $name', async ({ body, evals }) => {
    const api = await seeded(['active', 'other']);
    await api.manage('POST', '/api/evals/project/shop', evalNamed('asleep', { active: false }));
    const { json } = await api.call('POST', PATH, { headers: withSecret, body: JSON.stringify(body) });
    expect(json.runs.map((run: { eval: string }) => run.eval)).toEqual(evals);
  });

  it.each([
    { name: 'no active eval', evals: [], body: '{}' },
    { name: 'an eval nobody knows', evals: ['faq'], body: '{"evals":["fqa"]}' },
    { name: 'an empty list', evals: ['faq'], body: '{"evals":[]}' },
  ])('answers a gate that is red with $name', async ({ evals, body }) => {
    const api = await seeded(evals);
    const { status, json } = await api.call('POST', PATH, { headers: withSecret, body });
    expect([status, json.code, json.gate]).toEqual([422, 'nothing-to-run', 'error']);
    expect(api.workflow.executions.size).toBe(0);
  });

  it.each([
    'hello',
    '[]',
    '"x"',
    '1',
    '{',
    '{"evals":"faq"}',
    '{"evals":[1]}',
    '{"ref":7}',
    '\ufffd',
    `{"ref":"${'x'.repeat(600)}"}`,
  ])('refuses the body %j', async (body) => {
    const api = await seeded();
    const answer = await api.call('POST', PATH, { headers: withSecret, body });
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(api.workflow.executions.size).toBe(0);
  });

  it('refuses a body beyond 256 KB', async () => {
    const api = await seeded();
    const body = JSON.stringify({ x: 'x'.repeat(300_000) });
    expect((await api.call('POST', PATH, { headers: withSecret, body })).status).toBe(413);
  });
});

describe('one delivery', () => {
  const keys = ['Idempotency-Key', 'X-GitHub-Delivery', 'X-Assay-Delivery'];
  it.each(keys)('with the same %s starts its runs once', async (header) => {
    const api = await seeded();
    const call = { headers: { ...withSecret, [header]: 'k-1' }, body: BODY };
    const first = await api.call('POST', PATH, call);
    const second = await api.call('POST', PATH, call);
    expect([second.status, second.json.status_url]).toEqual([202, first.json.status_url]);
    expect(api.workflow.executions.size).toBe(1);
  });

  it('with the same signature and time starts its runs once', async () => {
    const api = await seeded();
    const call = { headers: signed(BODY), body: BODY };
    const [first, second] = [await api.call('POST', PATH, call), await api.call('POST', PATH, call)];
    expect(second.json.gate_run_id).toBe(first.json.gate_run_id);
  });

  it('with the same key and another body is a conflict', async () => {
    const api = await seeded();
    const headers = { ...withSecret, 'idempotency-key': 'k-1' };
    await api.call('POST', PATH, { headers, body: BODY });
    const { status, json } = await api.call('POST', PATH, { headers, body: '{}' });
    expect([status, json.code]).toEqual([409, 'delivery-conflict']);
    expect(api.workflow.executions.size).toBe(1);
  });

  it('cannot be repeated by another key on a signed request that somebody overheard', async () => {
    const api = await seeded();
    const deliver = (key: string) =>
      api.call('POST', PATH, { headers: { ...signed(BODY), 'idempotency-key': key }, body: BODY });
    expect((await deliver('k-1')).status).toBe(202);
    expect((await deliver('k-1')).status).toBe(202);
    expect((await deliver('k-2')).status).toBe(409);
    expect(api.workflow.executions.size).toBe(1);
  });

  it('that is signed anew under the same key is still the same', async () => {
    const api = await seeded();
    const deliver = (atMs: number) =>
      api.call('POST', PATH, { headers: { ...signed(BODY, { atMs }), 'idempotency-key': 'k' }, body: BODY });
    const [first, second] = [await deliver(START_MS), await deliver(START_MS + 5_000)];
    expect(second.json.gate_run_id).toBe(first.json.gate_run_id);
  });

  it('without a key is never taken for another, whatever the body', async () => {
    const api = await seeded();
    const call = { headers: withSecret, body: BODY };
    const [first, second] = [await api.call('POST', PATH, call), await api.call('POST', PATH, call)];
    expect(second.json.status_url).not.toBe(first.json.status_url);
    expect(api.workflow.executions.size).toBe(2);
  });

  it('of one project says nothing to another', async () => {
    const api = await seeded();
    await api.manage('POST', '/api/projects', { id: 'bank' });
    await api.systemSecrets.putWebhook('bank', { current: SECRET });
    await api.upload('bank', { file: new File(['{"input":"x"}'], 'faq.jsonl') });
    await api.manage('POST', '/api/evals/project/bank', evalNamed('faq'));
    const call = { headers: { ...withSecret, 'idempotency-key': 'k' } };
    const mine = await api.call('POST', PATH, call);
    const other = await api.call('POST', '/api/runs/webhook/bank', call);
    expect(other.json.gate_run_id).not.toBe(mine.json.gate_run_id);
  });

  it('has a key of at most 255 characters', async () => {
    const api = await seeded();
    const headers = { ...withSecret, 'idempotency-key': 'k'.repeat(256) };
    expect((await api.call('POST', PATH, { headers })).status).toBe(400);
  });
});
