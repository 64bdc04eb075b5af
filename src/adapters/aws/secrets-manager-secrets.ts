import type { Fault } from '../../core/errors.ts';
import { ConfigError } from '../../core/errors.ts';
import { ID_PATTERN } from '../../core/schemas/target-config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { SecretsHandle } from './clients.ts';
import type { SecretValue } from './secret-values.ts';
import { readSecretValue, SECRET_CACHE_MS } from './secret-values.ts';
import { TimedCache } from './timed-cache.ts';

/** What may stand in `{{secrets.NAME}}`; nothing under `_system/` has such a name. */
const NAME_PATTERN = /^[A-Z][A-Z0-9_]{0,63}$/;

/** A project's secrets `<prefix>/<project>/<NAME>`, kept for at most 5 minutes. */
export class SecretsManagerSecrets implements Secrets {
  private readonly folder: string;
  private readonly secrets: SecretsHandle;
  private readonly cache: TimedCache<SecretValue>;

  constructor(options: { project: string; secrets: SecretsHandle; clock: Clock; prefix?: string }) {
    if (!ID_PATTERN.test(options.project))
      throw new TypeError(`${JSON.stringify(options.project)} is not a project id`);
    this.folder = `${options.prefix ?? 'assay'}/${options.project}`;
    this.secrets = options.secrets;
    this.cache = new TimedCache(options.clock, SECRET_CACHE_MS);
  }

  async read(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await Promise.all([...new Set(names)].map(async (name) => [name, await this.one(name)] as const));
    const faults: Fault[] = [];
    const values = new Map<string, string>();
    for (const [name, value] of found) {
      if (value.status === 'found') values.set(name, value.text.replace(/[\r\n]+$/, ''));
      else faults.push(this.fault(name, value));
    }
    if (faults.length > 0) throw new ConfigError(faults);
    return values;
  }

  private async one(name: string): Promise<SecretValue> {
    if (!NAME_PATTERN.test(name)) return { status: 'missing' };
    const secretId = `${this.folder}/${name}`;
    const value = await this.cache.get(name, () => readSecretValue(this.secrets, secretId));
    // A secret that is made now is to be found now.
    if (value.status !== 'found') this.cache.forget(name);
    return value;
  }

  private fault(name: string, value: Exclude<SecretValue, { status: 'found' }>): Fault {
    if (!NAME_PATTERN.test(name)) {
      return {
        message: `${JSON.stringify(name)} is not the name of a secret`,
        fix: 'capital letters, digits and "_", beginning with a letter',
      };
    }
    const secretId = `${this.folder}/${name}`;
    if (value.status === 'denied') {
      return { message: `secret ${name} cannot be read (${value.message})`, fix: `allow reading ${secretId}` };
    }
    return { message: `secret ${name} is missing`, fix: `create ${secretId} in Secrets Manager` };
  }
}
