import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SecretsHandle } from '../../../src/adapters/aws/clients.ts';
import { secretsHandle } from '../../../src/adapters/aws/clients.ts';
import { SecretsManagerSecrets } from '../../../src/adapters/aws/secrets-manager-secrets.ts';
import { SecretsManagerSystemSecrets } from '../../../src/adapters/aws/secrets-manager-system-secrets.ts';
import { ConfigError, StorageError } from '../../../src/core/errors.ts';
import { JsonService } from './json-service.ts';
import { local, ManualClock } from './local-cloud.ts';

let service: JsonService;
let clock: ManualClock;
let secrets: SecretsHandle;
let stored: Map<string, string>;

beforeEach(async () => {
  service = new JsonService();
  clock = new ManualClock();
  secrets = secretsHandle({ ...local(await service.start()), maxAttempts: 1 });
  stored = new Map();
  service.answer = (operation, input) => {
    const id = String(input.SecretId ?? input.Name);
    const value = stored.get(id);
    if (operation === 'CreateSecret') {
      stored.set(id, String(input.SecretString));
      return { body: {} };
    }
    if (value === undefined) return { error: 'ResourceNotFoundException' };
    if (operation === 'GetSecretValue') return { body: { SecretString: value } };
    if (operation === 'PutSecretValue') stored.set(id, String(input.SecretString));
    if (operation === 'DeleteSecret') stored.delete(id);
    return { body: {} };
  };
});
afterEach(() => service.stop());

describe('SecretsManagerSecrets', () => {
  const forShop = () => new SecretsManagerSecrets({ project: 'shop', secrets, clock });

  it('reads the secrets of its project, without the line break at the end', async () => {
    stored.set('assay/shop/API_KEY', 'k-1\r\n');
    stored.set('assay/shop/OTHER', ' two\nlines \n\n');
    stored.set('assay/shop-2/API_KEY', 'wrong');
    expect([...(await forShop().read(['API_KEY', 'OTHER', 'API_KEY']))]).toEqual([
      ['API_KEY', 'k-1'],
      ['OTHER', ' two\nlines '],
    ]);
    expect(service.calls).toHaveLength(2);
  });

  it('names every secret that is missing', async () => {
    stored.set('assay/shop/API_KEY', 'k-1');
    const read = forShop().read(['A_KEY', 'API_KEY', 'B_KEY']);
    await expect(read).rejects.toThrow(ConfigError);
    await expect(read).rejects.toThrow(/A_KEY is missing.*assay\/shop\/A_KEY[\s\S]*B_KEY is missing/);
    await expect(read).rejects.not.toThrow('k-1');
  });

  it.each(['_system/webhook', '../shop-2/API_KEY', 'api_key', '', 'A'.repeat(65)])(
    'asks for nothing under "%s"',
    async (name) => {
      await expect(forShop().read([name])).rejects.toThrow(ConfigError);
      expect(service.calls).toEqual([]);
    },
  );

  it('says which secret may not be read', async () => {
    service.answer = () => ({ error: 'AccessDeniedException' });
    await expect(forShop().read(['API_KEY'])).rejects.toThrow('secret API_KEY cannot be read (AccessDeniedException)');
  });

  it('takes an outage for an outage, not for a missing secret', async () => {
    service.answer = () => ({ error: 'InternalServiceError', status: 500 });
    await expect(forShop().read(['API_KEY'])).rejects.toThrow(StorageError);
  });

  it('keeps a value for 5 minutes, and no absence', async () => {
    const shop = forShop();
    await expect(shop.read(['API_KEY'])).rejects.toThrow(ConfigError);
    stored.set('assay/shop/API_KEY', 'old');
    expect((await shop.read(['API_KEY'])).get('API_KEY')).toBe('old');
    stored.set('assay/shop/API_KEY', 'new');
    clock.advanceMs(299_999);
    expect((await shop.read(['API_KEY'])).get('API_KEY')).toBe('old');
    clock.advanceMs(1);
    expect((await shop.read(['API_KEY'])).get('API_KEY')).toBe('new');
  });

  it('asks once for readers that come together', async () => {
    stored.set('assay/shop/API_KEY', 'k');
    const shop = forShop();
    await Promise.all(Array.from({ length: 10 }, () => shop.read(['API_KEY'])));
    expect(service.calls).toHaveLength(1);
  });
});

describe('SecretsManagerSystemSecrets', () => {
  const system = () => new SecretsManagerSystemSecrets({ secrets, clock });

  it('makes, replaces and deletes a webhook secret', async () => {
    const ours = system();
    expect(await ours.webhook('shop')).toBeNull();
    await ours.putWebhook('shop', { current: 'a' });
    expect(await ours.webhook('shop')).toEqual({ current: 'a' });
    await ours.putWebhook('shop', { current: 'b', previous: 'a' });
    expect(await ours.webhook('shop')).toEqual({ current: 'b', previous: 'a' });
    expect([...stored.keys()]).toEqual(['assay/shop/_system/webhook']);
    await ours.deleteWebhook('shop');
    await ours.deleteWebhook('shop');
    expect(await ours.webhook('shop')).toBeNull();
  });

  it('sees a rotation made elsewhere when asked for fresh material, at most every 10 s', async () => {
    const [here, elsewhere] = [system(), system()];
    await elsewhere.putWebhook('shop', { current: 'a' });
    await here.webhook('shop');
    await elsewhere.putWebhook('shop', { current: 'b', previous: 'a' });
    const before = service.calls.length;
    expect((await here.webhook('shop', { fresh: true }))?.current).toBe('a');
    expect(service.calls.length).toBe(before);
    clock.advanceMs(10_000);
    expect((await here.webhook('shop'))?.current).toBe('a');
    expect((await here.webhook('shop', { fresh: true }))?.current).toBe('b');
    for (let guess = 0; guess < 20; guess += 1) await here.webhook('shop', { fresh: true });
    expect(service.calls.length).toBe(before + 1);
  });

  it('finds within 10 s what was missing before', async () => {
    const ours = system();
    expect(await ours.webhook('shop')).toBeNull();
    stored.set('assay/shop/_system/webhook', '{"current":"a"}');
    clock.advanceMs(10_000);
    expect(await ours.webhook('shop')).toEqual({ current: 'a' });
  });

  it('does not show what it cannot read', async () => {
    stored.set('assay/shop/_system/webhook', 'plain-secret');
    await expect(system().webhook('shop')).rejects.toThrow(StorageError);
    await expect(system().webhook('shop')).rejects.not.toThrow('plain-secret');
  });

  it('keeps what links to reports are signed with, as the deploy made it or as it was rotated', async () => {
    const ours = system();
    expect(await ours.reportLinks()).toBeNull();
    stored.set('assay/_system/report-links', '{"current":"made-at-deploy"}');
    clock.advanceMs(10_000);
    expect(await ours.reportLinks({ fresh: true })).toEqual({ current: 'made-at-deploy' });
    await ours.putReportLinks({ current: 'b', previous: 'made-at-deploy' });
    expect(await ours.reportLinks()).toEqual({ current: 'b', previous: 'made-at-deploy' });
    stored.set('assay/_system/report-links', 'not-json');
    clock.advanceMs(10_000);
    await expect(ours.reportLinks({ fresh: true })).rejects.toThrow(StorageError);
    await expect(ours.reportLinks({ fresh: true })).rejects.not.toThrow('not-json');
  });

  it('reads the token of the management API', async () => {
    expect(await system().apiToken()).toBeNull();
    stored.set('assay/_system/api-token', 'tok\n');
    expect(await system().apiToken()).toBe('tok');
  });

  it('refuses a project that is no id', async () => {
    for (const project of ['', '../x', '_system', 'A']) {
      await expect(system().webhook(project)).rejects.toThrow(TypeError);
    }
  });
});
