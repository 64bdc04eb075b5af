/**
 * What EventBridge does with an event, as far as our rules and the examples in docs use it: patterns with exact values,
 * `anything-but`, `prefix`, `exists` and `numeric`, and input transformers. What else a pattern holds throws.
 */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Every field that the pattern names must match; of its alternatives one; of a list in the event one. */
export function matches(pattern: unknown, event: unknown): boolean {
  if (!isObject(pattern)) throw new TypeError('a pattern is an object');
  return Object.entries(pattern).every(([key, wanted]) => {
    const present = isObject(event) && key in event;
    const value = present ? (event as Record<string, unknown>)[key] : undefined;
    if (isObject(wanted)) return matches(wanted, value);
    if (!Array.isArray(wanted) || wanted.length === 0) throw new TypeError(`"${key}" must list what matches`);
    const values = Array.isArray(value) ? value : [value];
    return wanted.some((rule) => values.some((one) => matchesRule(rule, one, present)));
  });
}

function matchesRule(rule: unknown, value: unknown, present: boolean): boolean {
  if (!isObject(rule)) return present && rule === value;
  const [[name, argument] = ['', null], ...others] = Object.entries(rule);
  if (others.length > 0) throw new TypeError('one operator at a time');
  if (name === 'exists') return argument === present;
  if (!present) return false;
  if (name === 'prefix') return typeof value === 'string' && value.startsWith(String(argument));
  if (name === 'anything-but') return !(Array.isArray(argument) ? argument : [argument]).includes(value);
  if (name === 'numeric') return typeof value === 'number' && inRange(argument, value);
  throw new TypeError(`no operator "${name}" here`);
}

function inRange(range: unknown, value: number): boolean {
  if (!Array.isArray(range) || range.length % 2 !== 0)
    throw new TypeError('numeric takes pairs of operator and number');
  const tests: Record<string, (limit: number) => boolean> = {
    '<': (limit) => value < limit,
    '<=': (limit) => value <= limit,
    '=': (limit) => value === limit,
    '>=': (limit) => value >= limit,
    '>': (limit) => value > limit,
  };
  for (let at = 0; at < range.length; at += 2) if (!tests[range[at]]?.(range[at + 1])) return false;
  return true;
}

export interface Transformer {
  readonly InputPathsMap: Readonly<Record<string, string>>;
  readonly InputTemplate: string;
}

/**
 * What the target is given. A variable stands bare for its JSON; inside quotes its text is put in as it is, so that a
 * quote in it breaks the result: whoever can must keep such texts out of the event.
 */
export function transform({ InputPathsMap, InputTemplate }: Transformer, event: unknown): string {
  let quoted = false;
  return InputTemplate.replace(/\\.|"|<([\w-]+)>/g, (found, name: string | undefined) => {
    if (found === '"') quoted = !quoted;
    if (name === undefined) return found;
    const path = InputPathsMap[name];
    if (path === undefined) throw new TypeError(`the template names <${name}>, which has no path`);
    const value = at(event, path);
    return quoted && typeof value === 'string' ? value : JSON.stringify(value ?? '');
  });
}

function at(event: unknown, path: string): Json | undefined {
  const steps = path.replace(/^\$\.?/, '').split('.');
  return steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), event) as Json | undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
