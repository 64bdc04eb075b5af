import { createHash } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/**
 * `r-` (a run) or `g-` (a gate run) + ULID: ids sort by start time.
 * `entropy` is at least 10 random bytes, or the SHA-256 of an idempotency key (see `entropyOfKey`).
 */
export function makeId(prefix: 'r' | 'g', startedAtMs: number, entropy: Uint8Array): string {
  return `${prefix}-${encodeTime(startedAtMs)}${encodeEntropy(entropy)}`;
}

export const makeRunId = (startedAtMs: number, entropy: Uint8Array): string => makeId('r', startedAtMs, entropy);

/** The start time that an id of `makeId` holds, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  return [...id.slice(2, 2 + TIME_CHARACTERS)].reduce((time, character) => time * 32 + CROCKFORD.indexOf(character), 0);
}

/** The same key gives the same bytes, and so, with the same start time, the same run id. */
export function entropyOfKey(key: string): Uint8Array {
  return createHash('sha256').update(key).digest();
}

function encodeTime(timeMs: number): string {
  let rest = Math.floor(timeMs);
  let text = '';
  for (let index = 0; index < TIME_CHARACTERS; index += 1) {
    text = CROCKFORD.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** 80 bits, five at a time. */
function encodeEntropy(entropy: Uint8Array): string {
  let bits = 0n;
  for (let index = 0; index < 10; index += 1) bits = (bits << 8n) | BigInt(entropy[index] ?? 0);
  let text = '';
  for (let index = 0; index < RANDOM_CHARACTERS; index += 1) {
    text = CROCKFORD.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return text;
}
