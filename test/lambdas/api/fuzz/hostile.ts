import fc from 'fast-check';

/** Texts that something once choked on. None of them holds a word that `leaksOf` looks for. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '../',
  '../../etc/passwd',
  '..%2f..%2f',
  '%2e%2e/',
  '%00',
  '%',
  '%ff',
  '%25%32%65',
  '\u0000',
  'a\u0000b',
  'a\r\nx-injected: 1',
  'a\nb',
  '\u2028\u2029',
  '#',
  'shop#bank',
  'shop#',
  'shop/bank',
  '/',
  '\\',
  'shop.faq.faq',
  'shop..faq',
  '.faq',
  'shop.',
  'SHOP',
  'ѕhop', // Cyrillic s
  'ｓｈｏｐ', // full width
  'shop\u200b',
  'shop\u0301',
  'ſhop',
  'SHOP.FAQ',
  'r-',
  'R-01JD0000000000000000000001',
  'r-01jd0000000000000000000001',
  'r-01JD0000000000000000000001\n',
  'g-01JD0000000000000000000001',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '{{secrets.API_KEY}}',
  '{{input}}',
  '#{7*7}',
  "'; DROP TABLE runs; --",
  '<script>alert(1)</script>',
  '\ud800',
  'a\udc00b',
  '\ufeff',
  '\u202eabc',
  '👩‍👩‍👧‍👦',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e309',
  '9007199254740993',
  '0x10',
  '١٢', // digits that \d does not take
  'true',
  'a'.repeat(256),
  'a'.repeat(10_000),
  'é'.repeat(5_000),
];
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
);

const HOSTILE_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  '\ud800',
  'a.b',
  '$ref',
  'x'.repeat(999),
];
const NUMBERS = [0, -0, -1, 0.1, 1e21, 1e308, -1e308, 2 ** 53, 2 ** 31, Number.MIN_VALUE];

/** JSON as text: what is said may be said in ways that no object here can hold. */
const hostileJson: fc.Arbitrary<string> = fc.oneof(
  hostileText.map((text) => JSON.stringify(text)),
  fc.constantFrom(...NUMBERS).map((number) => JSON.stringify(number)),
  fc.constantFrom('1e999', '-1e999', '0e0', '1E400', 'null', 'true', '[]', '{}', '[[[]]]', '"\\ud800"', '"\\u0000"'),
  fc.constantFrom(40, 300, 5_000, 120_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.constantFrom(40, 300, 5_000, 40_000).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.constantFrom(...HOSTILE_KEYS).map((key) => `{${JSON.stringify(key)}:{"x":1}}`),
  fc.constant(`[${'0,'.repeat(20_000)}0]`),
  fc.constant(`"${'x'.repeat(200_000)}"`),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);

/** A member that does not belong: put into the outermost object of a body. */
const strayMember = fc
  .tuple(fc.oneof(fc.constantFrom(...HOSTILE_KEYS), fc.string({ maxLength: 5 })), hostileJson)
  .map(([key, json]) => `${JSON.stringify(key)}:${json}`);

const PLACE = '\u0001place\u0001';

/** The JSON of a value with one part of it made hostile, left out, doubled or joined by a stranger. */
export function nearlyJson(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc
    .tuple(values, fc.nat(60), hostileJson, strayMember, fc.constantFrom('change', 'add', 'double', 'drop', 'cut'))
    .map(([value, at, json, stray, how]) => {
      const whole = JSON.stringify(value) ?? 'null';
      if (how === 'cut') return whole.slice(0, at);
      if (how === 'add') return whole.replace('{', `{${stray},`).replace(',}', '}');
      const places = leavesOf(value);
      const place = places[at % Math.max(1, places.length)];
      if (place === undefined) return json;
      if (how === 'drop') return JSON.stringify(withPart(value, place, undefined)) ?? 'null';
      const [key] = place.slice(-1);
      const marked = JSON.stringify(withPart(value, place, PLACE)) ?? 'null';
      const mark = JSON.stringify(PLACE);
      if (how === 'change' || typeof key !== 'string') return marked.replace(mark, () => json);
      return marked.replace(mark, () => `${json},${JSON.stringify(key)}:${json}`);
    });
}

type Path = readonly (string | number)[];

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [path];
  const members = Object.entries(value).flatMap(([key, member]) =>
    leavesOf(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return path.length === 0 ? members : [path, ...members];
}

function withPart(value: unknown, path: Path, part: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== 'object' || value === null) return part;
  if (Array.isArray(value)) return value.map((item, at) => (at === key ? withPart(item, rest, part) : item));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === key ? withPart(member, rest, part) : member]),
  );
}

/** Bodies that are nothing anybody meant. */
export const garbageBody: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  hostileText,
  hostileJson,
  fc.constant('['.repeat(100_000)),
  fc.constant('{"a":'.repeat(50_000)),
  fc.constant('x'.repeat(1_000_000)),
  fc.constant(`{"name":"${'x'.repeat(1_000_000)}"}`),
  fc.constant(`\ufeff{"name":"x"}`),
  fc.constant(Buffer.from('{"name":"x"}', 'utf16le')),
  fc.constant(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  fc.constant('name=x&id=y'),
  fc.constant('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
);
