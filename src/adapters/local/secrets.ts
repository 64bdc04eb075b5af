import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from '../../core/errors.ts';
import { SECRET_NAME_PATTERN } from '../../core/template/variables.ts';
import type { Secrets } from '../../ports/secrets.ts';

export interface LocalSecretsOptions {
  /** Folder of the eval; its `.env` comes before the one in `cwd`. */
  readonly folder: string;
  /** @default the working directory */
  readonly cwd?: string;
  /** @default the process's environment */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Secrets on this machine: the environment, then `.env` beside the eval, then `.env` in the working directory. */
export class LocalSecrets implements Secrets {
  readonly #files: readonly string[];
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor({ folder, cwd = process.cwd(), env = process.env }: LocalSecretsOptions) {
    this.#files = [...new Set([folder, cwd].map((path) => join(resolve(path), '.env')))];
    this.#env = env;
  }

  async read(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const wanted = [...new Set(names)];
    const invalid = wanted.filter((name) => !SECRET_NAME_PATTERN.test(name));
    if (invalid.length > 0) throw new ConfigError(invalid.map(invalidFault));
    if (wanted.length === 0) return new Map();

    const sources = [this.#env, ...(await Promise.all(this.#files.map(readEnvFile)))];
    const values = new Map<string, string>();
    for (const name of wanted) {
      // An empty variable is how CI systems pass on a secret that is not set.
      const value = sources.map((source) => trimLineBreaks(source[name])).find((text) => text !== '');
      if (value !== undefined) values.set(name, value);
    }
    const missing = wanted.filter((name) => !values.has(name));
    if (missing.length > 0) throw new ConfigError(missing.map((name) => this.#missingFault(name)));
    return values;
  }

  #missingFault(name: string) {
    const isEmpty = this.#env[name] !== undefined;
    const fix = `set ${name} in the environment or in ${this.#files.join(' or ')}`;
    return { message: `secret ${name} is ${isEmpty ? 'empty' : 'missing'}`, fix };
  }
}

function trimLineBreaks(text: string | undefined): string {
  return (text ?? '').replace(/[\r\n]+$/, '');
}

async function readEnvFile(path: string): Promise<Readonly<Record<string, string | undefined>>> {
  try {
    const text = await readFile(path, 'utf8');
    return parseEnv(text.replace(/^\uFEFF/, '')); // a byte order mark would become part of the first name
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new ConfigError([{ file: path, message: `cannot be read (${code ?? 'unknown error'})` }]);
  }
}

function invalidFault(name: string) {
  return { message: `"${name}" cannot be the name of a secret`, fix: 'capital letters, digits and "_", at most 64' };
}
