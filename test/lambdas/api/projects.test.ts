import { describe, expect, it } from 'vitest';
import { loadEvalConfig, loadRun } from '../../../src/use-cases/deployed.ts';
import { evalNamed, TestApi } from './api.ts';

describe('projects', () => {
  it('tell their webhook secret once', async () => {
    const api = new TestApi();
    const { status, json, headers } = await api.manage('POST', '/api/projects', { id: 'shop' });
    expect(status).toBe(201);
    expect(headers.location).toBe('/api/projects/shop');
    expect(json).toMatchObject({ id: 'shop', name: 'shop', default_pass_mark: 0.8, baseline_ref: 'main' });
    expect(json.webhook_secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(await api.systemSecrets.webhook('shop')).toEqual({ current: json.webhook_secret });
    const read = await api.manage('GET', '/api/projects/shop');
    expect(read.json).toMatchObject({ id: 'shop', webhook_url: '/api/runs/webhook/shop' });
    expect(read.text).not.toContain(json.webhook_secret);
  });

  it('keep their secret when somebody creates them again', async () => {
    const api = new TestApi();
    const first = await api.manage('POST', '/api/projects', { id: 'shop' });
    const second = await api.manage('POST', '/api/projects', { id: 'shop' });
    expect([second.status, second.json.code]).toEqual([409, 'project-exists']);
    expect(await api.systemSecrets.webhook('shop')).toEqual({ current: first.json.webhook_secret });
  });

  it('are listed', async () => {
    const api = new TestApi();
    for (const id of ['shop', 'bank']) await api.manage('POST', '/api/projects', { id });
    const { json } = await api.manage('GET', '/api/projects');
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual(['bank', 'shop']);
  });

  it('change in what is given and keep the rest', async () => {
    const api = new TestApi();
    const judge = { model: 'us.amazon.nova-2-lite-v1:0' };
    await api.manage('POST', '/api/projects', { id: 'shop', name: 'Shop', default_judge: judge });
    const changed = await api.manage('PUT', '/api/projects/shop', { default_pass_mark: 0.9 });
    expect(changed.json).toMatchObject({
      name: 'Shop',
      default_pass_mark: 0.9,
      default_judge: { type: 'bedrock', ...judge },
    });
    const without = await api.manage('PUT', '/api/projects/shop', { default_judge: null });
    expect(without.json).not.toHaveProperty('default_judge');
    expect((await api.manage('GET', '/api/projects/shop')).json).toEqual(without.json);
  });

  it.each([
    { body: {}, field: 'id' },
    { body: { id: 'Shop' }, field: 'id' },
    { body: { id: '../x' }, field: 'id' },
    { body: { id: 'a'.repeat(64) }, field: 'id' },
    { body: { id: 'shop', default_pass_mark: 80 }, field: 'default_pass_mark' },
    { body: { id: 'shop', default_judge: { type: 'oracle' } }, field: 'default_judge.type' },
    { body: { id: 'shop', nmae: 'x' }, field: 'nmae' },
  ])('refuse $body by naming $field', async ({ body, field }) => {
    const { status, json } = await new TestApi().manage('POST', '/api/projects', body);
    expect([status, json.code]).toEqual([400, 'invalid-body']);
    expect(json.faults.map((fault: { field: string }) => fault.field)).toContain(field);
  });

  it('suggest the key that was meant', async () => {
    const { json } = await new TestApi().manage('POST', '/api/projects', { id: 'shop', nmae: 'x' });
    expect(json.faults[0].fix).toBe('did you mean "name"?');
  });

  it('list the secrets that their evals ask for, without values', async () => {
    const api = new TestApi();
    await api.seed();
    const target = { url: 'https://bot.example.com/{{secrets.PATH}}', headers: { 'x-key': '{{secrets.BOT_KEY}}' } };
    await api.manage('PUT', '/api/evals/shop.faq', evalNamed('faq', { target }));
    const two = evalNamed('two', { target: undefined, targets: [target], description: '{{secrets.NOT_THERE}}' });
    expect((await api.manage('POST', '/api/evals/project/shop', two)).status).toBe(201);
    expect((await api.manage('GET', '/api/projects/shop/secrets')).json.items).toEqual([
      { name: 'BOT_KEY', used_by: ['faq', 'two'] },
      { name: 'PATH', used_by: ['faq', 'two'] },
    ]);
  });

  it('allow private targets to every eval of theirs', async () => {
    const api = new TestApi();
    await api.seed();
    const allowed = { allowed_hosts: ['bot.internal'], allowed_cidrs: ['10.1.0.0/16', '::1'] };
    expect((await api.manage('PUT', '/api/projects/shop', allowed)).json).toMatchObject(allowed);
    await api.manage('PUT', '/api/evals/shop.faq', evalNamed('faq', { allowed_hosts: ['own.internal'] }));
    const { runId } = await api.startRun();
    const { run, project } = await loadRun(runId, api);
    expect(await loadEvalConfig(run, project, api)).toMatchObject({
      allowed_hosts: ['own.internal', 'bot.internal'],
      allowed_cidrs: ['10.1.0.0/16', '::1'],
    });
  });

  it.each([
    { allowed_hosts: ['http://x'] },
    { allowed_hosts: ['*.x'] },
    { allowed_hosts: ['x:80'] },
    { allowed_hosts: 'x' },
    { allowed_cidrs: ['10.1.0.0/33'] },
    { allowed_cidrs: ['x/8'] },
  ])('refuse to allow %j', async (settings) => {
    const api = new TestApi();
    await api.seed();
    expect((await api.manage('PUT', '/api/projects/shop', settings)).status).toBe(400);
  });

  it('end the former secret at once when asked to', async () => {
    const api = new TestApi();
    await api.manage('POST', '/api/projects', { id: 'shop' });
    const { json } = await api.manage('POST', '/api/projects/shop/webhook-secret', { keep_previous: false });
    expect(json.previous_valid).toBe(false);
    expect(await api.systemSecrets.webhook('shop')).toEqual({ current: json.webhook_secret });
  });

  it.each([
    ['GET', '/api/projects/nobody'],
    ['PUT', '/api/projects/nobody'],
    ['POST', '/api/projects/nobody/webhook-secret'],
    ['GET', '/api/datasets/project/nobody'],
    ['GET', '/api/evals/project/nobody'],
    ['POST', '/api/datasets/project/nobody'],
    ['GET', '/api/projects/..'],
    ['GET', '/api/projects/%2e%2e'],
  ])('%s %s is not found', async (method, path) => {
    const { status, json } = await new TestApi().manage(method, path);
    expect([status, json.code]).toEqual([404, 'not-found']);
  });

  it('rotates nothing for a project that does not exist', async () => {
    const api = new TestApi();
    await api.manage('POST', '/api/projects/nobody/webhook-secret');
    expect(await api.systemSecrets.webhook('nobody')).toBeNull();
  });
});
