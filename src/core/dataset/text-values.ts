import { isJsonObject, type JsonObject, type JsonValue, jsonToText } from '../json.ts';
import { findJsonFault } from './json-fault.ts';
import { findIn } from './json-limits.ts';
import type { RawRow } from './raw-row.ts';

/** The JSON value a text holds; null when it is not JSON, says null, or could not be written back. */
export function parseText(text: string): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue;
    return findIn(value, 0) === null ? value : null;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}

/** Text of a scalar; null for blank text. Lists and objects are a fault. */
export function readText(value: JsonValue, field: string, report: RawRow['report']): string | null {
  if (value !== null && typeof value === 'object') {
    report({ field, message: `${field} is text, not ${Array.isArray(value) ? 'a list' : 'an object'}` });
    return null;
  }
  const text = jsonToText(value);
  return value === null || text.trim() === '' ? null : text;
}

/** A list or an object, or the JSON text of one. Anything else is a fault. */
export function readStructure(value: JsonValue, field: string, report: RawRow['report']): JsonValue | null {
  if (typeof value !== 'string') {
    if (value !== null && typeof value === 'object') return value;
  } else {
    if (value.trim() === '') return null;
    const parsed = parseText(value);
    if (parsed !== null && typeof parsed === 'object') return parsed;
    const fault = findJsonFault(value);
    if (fault !== null) {
      report({ field, message: `not valid JSON at character ${fault.index + 1} of the value: ${fault.message}` });
      return null;
    }
    const unkeepable = findIn(JSON.parse(value) as JsonValue, 0);
    if (unkeepable !== null) {
      report({ field, ...unkeepable });
      return null;
    }
  }
  report({ field, message: `${field} is a JSON object or list` });
  return null;
}

/** An object, or the JSON text of one. */
export function readObject(value: JsonValue, field: string, report: RawRow['report']): JsonObject | null {
  const structure = readStructure(value, field, report);
  if (structure === null || isJsonObject(structure)) return structure;
  report({ field, message: `${field} is a JSON object, not a list` });
  return null;
}

/** Longer text is no list of names; it would also be slow to take apart. */
const MAX_LIST_TEXT = 10_000;

/** A list of short texts: a JSON list, or text with commas, where quotes keep a comma (`"a, b", c`). */
export function readTextList(value: JsonValue, field: string, report: RawRow['report']): string[] {
  if (typeof value === 'string' && value.length > MAX_LIST_TEXT) {
    report({ field, message: `${field} takes more than ${MAX_LIST_TEXT} characters`, fix: 'write short names' });
    return [];
  }
  const parsed = typeof value === 'string' && value.trimStart().startsWith('[') ? parseText(value) : value;
  const items = Array.isArray(parsed) ? parsed : typeof value === 'string' ? splitByCommas(value) : [value];
  const texts: string[] = [];
  for (const item of items) {
    const text = readText(item, field, report)?.trim();
    if (text !== undefined && !texts.includes(text)) texts.push(text);
  }
  return texts;
}

function splitByCommas(text: string): string[] {
  const items = text.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]+))/g);
  return Array.from(items, ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}
