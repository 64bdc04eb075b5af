import type { JsonValue } from '../../core/json.ts';

/**
 * What the SDK calls a document, as plain JSON: it hands out BigInt for whole numbers beyond 2^53, and objects of its own for decimals with
 * more digits than a double has, which nothing after it could write down. Both become the nearest double, as JSON.parse gives it.
 */
export function plainDocument(value: unknown): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return (value ?? null) as JsonValue;
  if (Array.isArray(value)) return value.map(plainDocument);
  if (isExactNumber(value)) return Number(value.string);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainDocument(member)]));
}

/** Known by its class: a model may well give an object of the same keys. */
function isExactNumber(value: object): value is { readonly string: string } {
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  return !isPlain && 'string' in value && typeof value.string === 'string';
}
