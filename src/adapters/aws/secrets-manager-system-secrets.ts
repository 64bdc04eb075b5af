import * as z from 'zod';
import { StorageError } from '../../core/errors.ts';
import { ID_PATTERN } from '../../core/schemas/target-config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RotatingSecret, SystemSecrets } from '../../ports/system-secrets.ts';
import type { SecretsHandle } from './clients.ts';
import type { SecretValue } from './secret-values.ts';
import { readSecretValue, SECRET_CACHE_MS, secretsFailure } from './secret-values.ts';
import { isNamed } from './service-errors.ts';
import { TimedCache } from './timed-cache.ts';

const FRESH_MS = 10_000;

const RotatingSecretSchema = z.object({ current: z.string().min(1), previous: z.string().min(1).optional() });

/**
 * `<prefix>/<project>/_system/webhook` and `<prefix>/_system/report-links` (JSON `{current, previous?}`) and
 * `<prefix>/_system/api-token` (the token as such).
 */
export class SecretsManagerSystemSecrets implements SystemSecrets {
  private readonly secrets: SecretsHandle;
  private readonly cache: TimedCache<SecretValue>;
  private readonly prefix: string;

  /** @param options.prefix first segment of every name; one a stage. Default `assay`. */
  constructor(options: { secrets: SecretsHandle; clock: Clock; prefix?: string }) {
    this.prefix = options.prefix ?? 'assay';
    this.secrets = options.secrets;
    this.cache = new TimedCache(options.clock, SECRET_CACHE_MS);
  }

  async webhook(project: string, options: { fresh?: boolean } = {}): Promise<RotatingSecret | null> {
    return this.rotating(this.webhookId(project), options);
  }

  async putWebhook(project: string, secret: RotatingSecret): Promise<void> {
    await this.putRotating(this.webhookId(project), secret);
  }

  async reportLinks(options: { fresh?: boolean } = {}): Promise<RotatingSecret | null> {
    return this.rotating(this.reportLinksId(), options);
  }

  async putReportLinks(secret: RotatingSecret): Promise<void> {
    await this.putRotating(this.reportLinksId(), secret);
  }

  async deleteWebhook(project: string): Promise<void> {
    const secretId = this.webhookId(project);
    const { sdk, client } = await this.secrets();
    try {
      // At once: a project of the same name may be made again tomorrow.
      await client.send(new sdk.DeleteSecretCommand({ SecretId: secretId, ForceDeleteWithoutRecovery: true }));
    } catch (error) {
      if (!isNamed(error, 'ResourceNotFoundException')) throw secretsFailure(secretId, error);
    } finally {
      this.cache.forget(secretId);
    }
  }

  async apiToken(options: { fresh?: boolean } = {}): Promise<string | null> {
    const token = (await this.text(`${this.prefix}/_system/api-token`, options))?.trim() ?? '';
    return token === '' ? null : token;
  }

  private async rotating(secretId: string, options: { fresh?: boolean }): Promise<RotatingSecret | null> {
    const text = await this.text(secretId, options);
    if (text === null) return null;
    const parsed = RotatingSecretSchema.safeParse(readJson(text));
    // The message holds the name alone: what does not parse may still be a secret.
    if (!parsed.success) throw new StorageError(`secret ${secretId} is not JSON of the form {"current": "…"}`);
    return parsed.data;
  }

  private async putRotating(secretId: string, secret: RotatingSecret): Promise<void> {
    const { sdk, client } = await this.secrets();
    const SecretString = JSON.stringify(RotatingSecretSchema.parse(secret));
    try {
      await client.send(new sdk.PutSecretValueCommand({ SecretId: secretId, SecretString }));
    } catch (error) {
      if (!isNamed(error, 'ResourceNotFoundException')) throw secretsFailure(secretId, error);
      await this.create(secretId, SecretString);
    } finally {
      this.cache.forget(secretId);
    }
  }

  private async text(secretId: string, options: { fresh?: boolean }): Promise<string | null> {
    const read = () => readSecretValue(this.secrets, secretId);
    let value = await this.cache.get(secretId, read, options.fresh ? FRESH_MS : SECRET_CACHE_MS);
    // What another writer makes now is not to be missing for five minutes.
    if (value.status !== 'found') value = await this.cache.get(secretId, read, FRESH_MS);
    if (value.status === 'denied') throw new StorageError(`secret ${secretId} cannot be read (${value.message})`);
    return value.status === 'found' ? value.text : null;
  }

  private webhookId(project: string): string {
    if (!ID_PATTERN.test(project)) throw new TypeError(`${JSON.stringify(project)} is not a project id`);
    return `${this.prefix}/${project}/_system/webhook`;
  }

  private reportLinksId(): string {
    return `${this.prefix}/_system/report-links`;
  }

  private async create(secretId: string, SecretString: string): Promise<void> {
    const { sdk, client } = await this.secrets();
    try {
      await client.send(new sdk.CreateSecretCommand({ Name: secretId, SecretString }));
    } catch (error) {
      throw secretsFailure(secretId, error);
    }
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
