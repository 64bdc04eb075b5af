import type { JsonValue } from '../json.ts';

export interface DuplicateKey {
  readonly key: string;
  /** Where its second appearance starts. */
  readonly index: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * A key that an object of the text has twice: JSON.parse takes the last and says nothing. Null when there is none.
 * `value` is what the text parsed to: as long as it has as many keys as the text has colons after a quote, which is
 * counted fast, none was lost.
 */
export function findDuplicateKey(text: string, value: JsonValue): DuplicateKey | null {
  return keyColons(text) === keysOf(value) ? null : search(text);
}

/** Colons that may end a key. Never fewer than there are keys; more only for a text that begins with a colon. */
function keyColons(text: string): number {
  let count = 0;
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let at = colon - 1;
    while (isBlank(text.charCodeAt(at))) at -= 1;
    if (text.charCodeAt(at) !== QUOTE) continue;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) count += 1;
  }
  return count;
}

/** Without recursion: a text may nest deeper than a stack is high. */
function keysOf(value: JsonValue): number {
  const open: JsonValue[] = [value];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members = Object.values(next);
    if (!Array.isArray(next)) count += members.length;
    for (const member of members) if (typeof member === 'object' && member !== null) open.push(member);
  }
  return count;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** Reads the text, which is known to be JSON, string by string. */
function search(text: string): DuplicateKey | null {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '{') open.push(new Set());
    else if (char === '[') open.push(null);
    else if (char === '}' || char === ']') open.pop();
    if (char !== '"') continue;
    const start = at;
    for (at += 1; text.charCodeAt(at) !== QUOTE; at += 1) if (text.charCodeAt(at) === BACKSLASH) at += 1;
    let next = at + 1;
    while (isBlank(text.charCodeAt(next))) next += 1;
    const keys = open.at(-1);
    if (text[next] !== ':' || keys == null) continue;
    const key = JSON.parse(text.slice(start, at + 1)) as string;
    if (keys.has(key)) return { key, index: start };
    keys.add(key);
  }
  return null;
}
