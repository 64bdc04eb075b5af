import { isJsonObject, type JsonValue } from '../../json.ts';

export const MAX_JSON_DEPTH = 500;

/** Doubles are off by this share of the larger number: 1.1 − 1 is within 0.1. */
const DOUBLE_ERROR = 1e-12;

/**
 * Where two JSON values first differ, as a path with `$` for the whole; null when they are equal. Key order is free,
 * 1 equals 1.0, null is not a missing key, true is not 1. Numbers may differ by `tolerance`.
 */
export function firstDifference(actual: JsonValue, expected: JsonValue, tolerance = 0, path = '$'): string | null {
  if (typeof actual === 'number' && typeof expected === 'number') {
    const slack = tolerance === 0 ? 0 : tolerance + DOUBLE_ERROR * Math.max(Math.abs(actual), Math.abs(expected));
    return actual === expected || Math.abs(actual - expected) <= slack ? null : path;
  }
  if (Array.isArray(actual) && Array.isArray(expected)) {
    for (const [index, item] of actual.slice(0, expected.length).entries()) {
      const found = firstDifference(item, expected[index] as JsonValue, tolerance, `${path}[${index}]`);
      if (found !== null) return found;
    }
    return actual.length === expected.length ? null : `${path}[${Math.min(actual.length, expected.length)}]`;
  }
  if (isJsonObject(actual) && isJsonObject(expected)) {
    for (const key of Object.keys(expected)) {
      if (!Object.hasOwn(actual, key)) return `${path}.${key}`;
      const found = firstDifference(actual[key] as JsonValue, expected[key] as JsonValue, tolerance, `${path}.${key}`);
      if (found !== null) return found;
    }
    const extra = Object.keys(actual).find((key) => !Object.hasOwn(expected, key));
    return extra === undefined ? null : `${path}.${extra}`;
  }
  return actual === expected ? null : path;
}

/** A JSON text as its value; else what is wrong with it. */
export function parseJsonText(text: string): { readonly value: JsonValue } | { readonly fault: string } {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    return { fault: (error as Error).message.slice(0, 120) };
  }
  // What recurses below would exhaust the stack on `[[[[…`.
  return isDeeper(value, MAX_JSON_DEPTH) ? { fault: `nested deeper than ${MAX_JSON_DEPTH} levels` } : { value };
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) => isDeeper(member, levels - 1));
}
