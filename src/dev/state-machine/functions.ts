import { createHash } from 'node:crypto';

/** What the functions draw on: the execution's clock and random source, so that tests can own both. */
interface FunctionSources {
  now(): number;
  /** At least 0, below 1. */
  random(): number;
}

const MAX_ARRAY = 1_000;
const HASHES = new Map([
  ['MD5', 'md5'],
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
]);

/**
 * The functions Step Functions adds to JSONata, as bindings of an expression; `$now` and `$millis` follow the
 * execution's clock.
 */
export function stepFunctions(sources: FunctionSources): Record<string, unknown> {
  return {
    partition,
    range,
    hash,
    parse,
    random: (seed?: unknown) => (seed === undefined ? sources.random() : seededRandom(seed)),
    uuid: () => uuid(sources.random),
    millis: () => sources.now(),
    now: (picture?: unknown) => {
      if (picture !== undefined)
        throw new Error('$now with a picture is not supported locally: use $fromMillis($millis(), …)');
      return new Date(sources.now()).toISOString();
    },
  };
}

function partition(array: unknown, size: unknown): unknown {
  if (array === undefined) return undefined;
  if (!Array.isArray(array)) throw new Error('$partition needs an array as its first argument');
  const step = integer(size, '$partition', 'chunk size');
  if (step < 1) throw new Error('$partition needs a chunk size of at least 1');
  const parts: unknown[][] = [];
  for (let from = 0; from < array.length; from += step) parts.push(array.slice(from, from + step));
  return parts;
}

function range(first: unknown, last: unknown, delta: unknown): number[] {
  const from = integer(first, '$range', 'first value');
  const to = integer(last, '$range', 'last value');
  const step = integer(delta, '$range', 'step');
  if (step === 0) throw new Error('$range needs a step other than 0');
  const count = Math.max(0, Math.floor((to - from) / step) + 1);
  if (count > MAX_ARRAY) throw new Error(`$range makes at most ${MAX_ARRAY} values, not ${count}`);
  return Array.from({ length: count }, (_, index) => from + index * step);
}

function hash(text: unknown, algorithm: unknown): unknown {
  if (text === undefined) return undefined;
  const name = HASHES.get(String(algorithm));
  if (name === undefined) throw new Error(`$hash knows ${[...HASHES.keys()].join(', ')}`);
  const data = typeof text === 'string' ? text : JSON.stringify(text);
  return createHash(name).update(data, 'utf8').digest('hex');
}

function parse(text: unknown): unknown {
  if (text === undefined) return undefined;
  if (typeof text !== 'string') throw new Error('$parse needs a string');
  return JSON.parse(text);
}

/** The same seed gives the same number, here and in every run; the numbers of the service differ. */
function seededRandom(seed: unknown): number {
  const digest = createHash('sha256').update(JSON.stringify(seed)).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** A version 4 UUID. */
export function uuid(random: () => number): string {
  const bytes = Array.from({ length: 16 }, () => Math.floor(random() * 256));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function integer(value: unknown, name: string, what: string): number {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw new Error(`${name} needs an integer as its ${what}`);
}
