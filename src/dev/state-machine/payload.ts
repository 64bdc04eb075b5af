import type { JsonValue } from '../../core/json.ts';
import { StateFailure } from './failure.ts';

/** Quota of the service for any input, output, argument or variable: UTF-8 bytes of JSON text. */
export const MAX_PAYLOAD_BYTES = 262_144;

/** Sizes of objects already measured. Payloads are never changed once made, so a size stays true. */
const sizes = new WeakMap<object, number>();

/** UTF-8 bytes of the value as JSON text. */
export function jsonBytes(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value));
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  sizes.set(value, bytes);
  return bytes;
}

/** Tells the size of a value whose parts were measured while it was put together. */
export function knowBytes(value: JsonValue, bytes: number): void {
  if (typeof value === 'object' && value !== null) sizes.set(value, bytes);
}

/** Throws States.DataLimitExceeded over the quota. `subject` as in "The state/task 'X' returned a result". */
export function checkPayload(value: JsonValue, subject: string): void {
  const bytes = jsonBytes(value);
  if (bytes <= MAX_PAYLOAD_BYTES) return;
  throw new StateFailure(
    'States.DataLimitExceeded',
    `${subject} with a size exceeding the maximum number of bytes service limit (${bytes} of ${MAX_PAYLOAD_BYTES}).`,
  );
}

export class NotJsonError extends Error {
  override readonly name = 'NotJsonError';
}

/**
 * The value as plain JSON: JSONata marks its arrays and may return functions; marks are dropped, functions refused.
 * Parts already known as payloads are taken as they are, which keeps passing a large input on cheap.
 */
export function plainJson(value: unknown): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new NotJsonError(`${value} is not JSON`);
      return value;
    case 'object':
      return value === null ? null : plainObject(value);
    default:
      throw new NotJsonError(`a ${typeof value} is not JSON`);
  }
}

function plainObject(value: object): JsonValue {
  if (sizes.has(value)) return value as JsonValue;
  if (Array.isArray(value)) return value.map((item) => plainJson(item));
  // JSONata's own functions and patterns are objects with this mark.
  if ('_jsonata_lambda' in value || '_jsonata_function' in value) throw new NotJsonError('a function is not JSON');
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainJson(member)]));
}
