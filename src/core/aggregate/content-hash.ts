import { hash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../json.ts';

/**
 * What a row asks and expects, as 16 hex digits: the start of the SHA-256 over the RFC 8785 JSON of [input, expected].
 * Two runs compare a row only where it is the same.
 */
export function contentHash(input: JsonValue, expected: JsonValue): string {
  // Without objects the canonical form is what JSON.stringify gives, several times faster.
  const isPlain = !isNested(input) && !isNested(expected);
  const text = isPlain ? JSON.stringify([input, expected]) : canonicalJson([input, expected]);
  return hash('sha256', text).slice(0, 16);
}

const isNested = (value: JsonValue): boolean => typeof value === 'object' && value !== null;
