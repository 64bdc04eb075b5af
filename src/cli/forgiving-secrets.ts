import { ConfigError, type Fault } from '../core/errors.ts';
import type { Secrets } from '../ports/secrets.ts';

/** What no row of a dataset holds by chance: rows are searched for the values of secrets. */
const STAND_IN = 'stand-in-of-a-missing-secret-5f0e9b';

/** A secret that is missing is a fault, and does not hide what else is wrong with the request it stands in. */
export class ForgivingSecrets implements Secrets {
  readonly #secrets: Secrets;
  readonly #faults: Fault[];
  readonly #reported = new Set<string>();

  constructor(secrets: Secrets, faults: Fault[]) {
    this.#secrets = secrets;
    this.#faults = faults;
  }

  async read(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const values = new Map<string, string>();
    for (const name of names) values.set(name, await this.#readOne(name));
    return values;
  }

  async #readOne(name: string): Promise<string> {
    try {
      return (await this.#secrets.read([name])).get(name) ?? '';
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (!this.#reported.has(name)) this.#faults.push(...error.faults);
      this.#reported.add(name);
      return STAND_IN;
    }
  }
}
