import { ConfigError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';

/** What lies at a path: a value, a null, or nothing. Falsy values are values. */
type PathReading =
  | { readonly status: 'found'; readonly value: Exclude<JsonValue, null> }
  /** `message` names the path, how far it led and what is there. */
  | { readonly status: 'null' | 'absent'; readonly message: string };

export interface ResponsePath {
  /** As written. */
  readonly text: string;
  /** `$`: the whole body. */
  readonly isRoot: boolean;
  read(root: JsonValue): PathReading;
}

/** A step: `key` of an object (undefined for `[0]`), `index` of a list (undefined for a name). */
interface Step {
  readonly key: string | undefined;
  readonly index: number | undefined;
}

const INTEGER = /^-?\d{1,9}$/;
const MAX_KEYS_NAMED = 10;

/**
 * Reads a path once: `a.b.0.c`, `a[0].b`, `$`, `$.a`, negative indices from the end, quoted keys `a["v1.0"]`.
 * Throws ConfigError for anything else.
 */
export function compilePath(path: string, { where }: { readonly where: string }): ResponsePath {
  const text = path.trim();
  const steps = parseSteps(text, where);
  return { text, isRoot: steps.length === 0, read: (root) => readPath(root, steps, text) };
}

function readPath(root: JsonValue, steps: readonly Step[], path: string): PathReading {
  let value: JsonValue = root;
  for (const [depth, step] of steps.entries()) {
    const next = take(value, step);
    if (next === undefined)
      return { status: 'absent', message: `path "${path}" not found: ${describe(value, steps, depth)}` };
    value = next;
  }
  if (value === null) return { status: 'null', message: `path "${path}" is null` };
  return { status: 'found', value };
}

function take(value: JsonValue, { key, index }: Step): JsonValue | undefined {
  if (Array.isArray(value)) return index === undefined ? undefined : value.at(index);
  if (isJsonObject(value) && key !== undefined && Object.hasOwn(value, key)) return value[key];
  return undefined;
}

function describe(value: JsonValue, steps: readonly Step[], depth: number): string {
  const at = depth === 0 ? 'the body' : `"${steps.slice(0, depth).map(stepText).join('.')}"`;
  if (Array.isArray(value)) return `${at} is a list of ${value.length}`;
  if (value === null) return `${at} is null`;
  if (!isJsonObject(value)) return `${at} is ${typeof value === 'string' ? 'text' : `a ${typeof value}`}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return `${at} is an empty object`;
  const named = keys.slice(0, MAX_KEYS_NAMED).map((key) => (key.length > 40 ? `${key.slice(0, 40)}…` : key));
  return `${at} has the keys ${named.join(', ')}${keys.length > MAX_KEYS_NAMED ? ', …' : ''}`;
}

function stepText(step: Step): string {
  return step.key ?? String(step.index);
}

function parseSteps(path: string, where: string): Step[] {
  const fail = (message: string, fix = 'write a.b.0.c, a[0].b, $ or a["key with.dots"]'): never => {
    throw new ConfigError([{ field: where, message: `path "${path}": ${message}`, fix }]);
  };
  const steps: Step[] = [];
  let rest = path;
  if (rest === '$' || rest.startsWith('$.') || rest.startsWith('$[')) rest = rest.slice(1);
  else if (rest === '') fail('is empty');
  else if (!rest.startsWith('[')) rest = `.${rest}`;
  while (rest !== '') {
    const step = rest.startsWith('[') ? bracketStep(rest, fail) : nameStep(rest, fail);
    steps.push(step.step);
    rest = rest.slice(step.length);
  }
  return steps;
}

type Fail = (message: string, fix?: string) => never;

function nameStep(rest: string, fail: Fail): { step: Step; length: number } {
  if (!rest.startsWith('.')) return fail(`"${rest}" after a bracket needs a "." before it`);
  const name = /^[^.[\]]*/.exec(rest.slice(1))?.[0] ?? '';
  if (name === '') return fail('has an empty step');
  if (name === '*') return fail('wildcards are not supported', 'name one value, such as items.0');
  if (rest[1 + name.length] === ']') return fail('has a "]" without "["');
  return { step: { key: name, index: INTEGER.test(name) ? Number(name) : undefined }, length: 1 + name.length };
}

const QUOTED = /^\[\s*(["'])((?:\\.|(?!\1)[^\\])*)\1\s*\]/s;

function bracketStep(rest: string, fail: Fail): { step: Step; length: number } {
  const quoted = QUOTED.exec(rest);
  if (quoted !== null) {
    const key = (quoted[2] ?? '').replace(/\\(.)/gs, '$1');
    return { step: { key, index: undefined }, length: quoted[0].length };
  }
  const close = rest.indexOf(']');
  if (close < 0) return fail('has a "[" without "]"');
  const inside = rest.slice(1, close).trim();
  if (!INTEGER.test(inside)) {
    return fail(
      `[${inside}] is no index`,
      'write a number, negative from the end, or a quoted key: [0], [-1], ["key"]',
    );
  }
  return { step: { key: undefined, index: Number(inside) }, length: close + 1 };
}
