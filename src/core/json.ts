import { createHash } from 'node:crypto';
import * as z from 'zod';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Any JSON value. Cheap on purpose: what JSON.parse or a YAML reader made is JSON already. */
export const JsonValueSchema = z.custom<JsonValue>((value) => value !== undefined && typeof value !== 'function');
export const JsonObjectSchema = z.custom<JsonObject>(isJsonObject, 'expected an object');

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * RFC 8785 canonical JSON: keys sorted by UTF-16 code units, no white space, numbers as ECMAScript prints them.
 * Members that are undefined are left out, as JSON.stringify does. Throws a RangeError on NaN and infinities.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`${value} is not JSON`);
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  let members = '';
  for (const key of Object.keys(value).sort()) {
    const member: unknown = value[key as keyof typeof value];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** SHA-256 in lower-case hex. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Text as it is, any other JSON value as canonical JSON text. */
export function jsonToText(value: JsonValue): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}
