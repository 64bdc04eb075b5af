import type { JsonValue } from './json.ts';

/**
 * Any JSON value with lone surrogates replaced by U+FFFD. JavaScript strings may hold half a character; UTF-8 cannot,
 * and readers of the results (jq, Athena) refuse a whole page for one.
 */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return (value.isWellFormed() ? value : value.toWellFormed()) as T;
  if (Array.isArray(value)) return value.map((item) => wellFormed(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as Record<string, JsonValue>);
  return Object.fromEntries(members.map(([key, member]) => [wellFormed(key), wellFormed(member)])) as T;
}
