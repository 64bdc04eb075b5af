import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ConfigError } from '../core/errors.ts';
import { nearestName } from '../core/nearest.ts';

export type OptionTable = NonNullable<ParseArgsConfig['options']>;

export interface ParsedOptions {
  readonly positionals: readonly string[];
  /** The one argument beside the options. Throws ConfigError, with `usage` as the fix, when there is none or another. */
  only(what: string, usage: string): string;
  text(name: string): string | undefined;
  flag(name: string): boolean;
  /** All values of an option that may be given several times. */
  list(name: string): readonly string[];
  /** A whole number from 1 to `most`. Throws ConfigError that names the option. */
  count(name: string, most?: number): number | undefined;
}

const MAX_COUNT = 9_999_999_999;

/** Reads a command's options. Throws ConfigError that names an unknown option and the nearest known one. */
export function parseOptions(args: readonly string[], options: OptionTable): ParsedOptions {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new ConfigError([
      { message: (error as Error).message.split('. ')[0] ?? 'bad option', fix: suggestion(args, options) },
    ]);
  }
  const values = parsed.values as Readonly<
    Record<string, string | boolean | readonly (string | boolean)[] | undefined>
  >;
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  return {
    positionals: parsed.positionals,
    only(what, usage) {
      const [first, second] = parsed.positionals;
      if (first !== undefined && second === undefined) return first;
      const message = first === undefined ? `no ${what} given` : `one ${what} at a time, not also "${second}"`;
      throw new ConfigError([{ message, fix: usage }]);
    },
    text,
    flag: (name) => values[name] === true,
    list: (name) => [values[name] ?? []].flat().filter((value) => typeof value === 'string'),
    count(name, most = MAX_COUNT) {
      const value = text(name);
      if (value === undefined) return undefined;
      if (/^[1-9]\d{0,9}$/.test(value) && Number(value) <= most) return Number(value);
      const upTo = most === MAX_COUNT ? '' : ` to ${most}`;
      throw new ConfigError([{ message: `--${name} takes a whole number from 1${upTo}, not "${value}"` }]);
    },
  };
}

function suggestion(args: readonly string[], options: OptionTable): string {
  const known = Object.keys(options);
  const unknown = args
    .filter((arg) => arg.startsWith('--'))
    .map((arg) => arg.slice(2).split('=')[0] ?? '')
    .find((name) => !known.includes(name));
  const nearest = unknown === undefined ? undefined : nearestName(unknown, known);
  return nearest === undefined
    ? `options: ${known.map((name) => `--${name}`).join(', ')}`
    : `did you mean --${nearest}?`;
}
