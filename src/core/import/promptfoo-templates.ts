import type { JsonValue } from '../json.ts';

/** How a promptfoo template reads in ours, or why it cannot. */
export type Translated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

const PLACEHOLDER = /\{\{-?\s*([^{}]+?)\s*-?\}\}/g;
const NAME = /^[\w.-]+$/;

/**
 * promptfoo's `{{var}}` in a provider's setting → ours: `{{prompt}}` is the prompt, `{{env.X}}` a secret, any other a
 * key of the input. Filters other than `dump`, blocks and comments are not translated.
 */
export function translateTemplate(value: JsonValue, prompt: string, onlyVar: string | null): Translated<JsonValue> {
  if (typeof value === 'string') return translateText(value, prompt, onlyVar);
  if (value === null || typeof value !== 'object') return { ok: true, value };
  const made: [string, JsonValue][] = [];
  for (const [key, member] of Object.entries(value)) {
    const inner = translateTemplate(member, prompt, onlyVar);
    if (!inner.ok) return inner;
    made.push([key, inner.value]);
  }
  return { ok: true, value: Array.isArray(value) ? made.map(([, member]) => member) : Object.fromEntries(made) };
}

export function translateText(text: string, prompt: string, onlyVar: string | null): Translated<string> {
  const block = /\{%|\{#/.exec(text);
  if (block !== null)
    return { ok: false, why: `blocks such as ${text.slice(block.index, block.index + 20)} are not supported` };
  let why: string | null = null;
  const value = text.replace(PLACEHOLDER, (whole, expression: string) => {
    const name = expression.replace(/\s*\|\s*(?:dump|safe)\s*$/, '');
    if (!NAME.test(name)) why ??= `the expression ${whole} is not supported`;
    if (name === 'prompt') return prompt;
    const secret = /^(?:env|process\.env)\.(\w+)$/.exec(name)?.[1];
    if (secret !== undefined) return `{{secrets.${secret.toUpperCase()}}}`;
    return name === onlyVar ? '{{input}}' : `{{input.${name}}}`;
  });
  return why === null ? { ok: true, value } : { ok: false, why };
}

/** A text with the values of a test filled in. */
export function fillText(text: string, vars: Readonly<Record<string, JsonValue>>): Translated<string> {
  if (/\{%|\{#/.test(text)) return { ok: false, why: 'blocks in its text are not supported' };
  let why: string | null = null;
  const value = text.replace(PLACEHOLDER, (whole, name: string) => {
    const given = Object.hasOwn(vars, name) ? vars[name] : undefined;
    if (given === undefined) why ??= `${whole} is no variable of the test`;
    return typeof given === 'string' ? given : JSON.stringify(given ?? null);
  });
  return why === null ? { ok: true, value } : { ok: false, why };
}
