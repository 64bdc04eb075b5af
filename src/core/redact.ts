import type { JsonValue } from './json.ts';

export interface Redactor {
  /** The text with every secret replaced. */
  text(text: string): string;
  /** The same for every text in a JSON value, keys included. */
  json<T extends JsonValue>(value: T): T;
}

/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/**
 * Shorter values are left alone: replacing every "a" or "42" would wreck the results and, by the gaps, give the value away.
 * Nobody guards anything with three characters.
 */
export const MIN_SECRET_LENGTH = 4;
/** A fragment of base64 shorter than this says too little about a secret and matches too much else. */
const MIN_BASE64_LENGTH = 8;
/** Lines of a longer secret (a PEM key) are secrets of their own from here. */
const MIN_LINE_LENGTH = 16;

/**
 * Finds secrets by value, as they are and as they appear when something echoes them: JSON-escaped, URL-encoded,
 * HTML-escaped, in base64 at any offset. The longest match wins.
 */
export function createRedactor(secretValues: Iterable<string>): Redactor {
  const forms = new Set<string>();
  for (const value of secretValues) for (const form of formsOf(value)) forms.add(form);
  if (forms.size === 0) return { text: (text) => text, json: (value) => value };
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapePattern).join('|'), 'g');
  const text = (from: string) => from.replace(pattern, REDACTED);
  return { text, json: <T extends JsonValue>(value: T) => redactJson(value, text) as T };
}

function escapePattern(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function redactJson(value: JsonValue, text: (from: string) => string): JsonValue {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, text));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [text(key), redactJson(member, text)]));
}

function formsOf(secret: string): string[] {
  const whole = secret.replace(/[\r\n]+$/, '');
  const lines = whole.split(/\r\n|\r|\n/).filter((line) => line.length >= MIN_LINE_LENGTH);
  return [whole, ...lines].filter((value) => value.trim().length >= MIN_SECRET_LENGTH).flatMap(spellings);
}

/** As it is written by one encoding, and by two of those that services put into each other: JSON in a page, a page in JSON, … */
function spellings(value: string): string[] {
  const json = jsonText(value);
  return [
    value,
    ...jsonForms(value),
    ...percentForms(value),
    ...htmlForms(value),
    ...base64Forms(value),
    ...jsonForms(json),
    ...percentForms(json),
    ...htmlForms(json),
    ...base64Forms(json),
    ...htmlForms(value).map(jsonText),
  ];
}

function jsonText(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function jsonForms(value: string): string[] {
  const json = jsonText(value);
  return [
    json,
    json.replaceAll('/', '\\/'), // PHP escapes slashes
    json.replace(/[<>&'\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ];
}

function percentForms(value: string): string[] {
  const percent = encodeURIComponent(value.toWellFormed());
  const strict = percent.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const encoded = [
    percent,
    strict,
    strict.replaceAll('%20', '+'),
    encodeURI(value.toWellFormed()),
    percent.replaceAll('%2F', '/'),
  ];
  return [...encoded, ...encoded.map((form) => form.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()))];
}

/** Escaped for HTML as different libraries do it: all of them `&` and `<`, not all of them `>` and quotes. */
function htmlForms(value: string): string[] {
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const forms: string[] = [];
  for (const greater of ['>', '&gt;']) {
    for (const double of ['"', '&quot;', '&#34;']) {
      for (const single of ["'", '&#39;', '&#x27;', '&apos;']) {
        forms.push(escaped.replaceAll('>', greater).replaceAll('"', double).replaceAll("'", single));
      }
    }
  }
  return forms;
}

/** What is certain of the secret's base64 wherever it starts in a longer text, in both alphabets. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const whole = bytes.toString('base64');
  const forms = [whole, whole.replace(/=+$/, '')];
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const leading = offset === 0 ? 0 : offset + 1; // characters that also hold bits of what precedes
    const trailing = (offset + bytes.length) % 3 === 0 ? 0 : 1; // and of what follows
    forms.push(encoded.slice(leading, encoded.length - trailing));
  }
  const long = forms.filter((form) => form.length >= MIN_BASE64_LENGTH);
  return [...long, ...long.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
