import type { JsonValue } from '../json.ts';
import { findDuplicateKey } from './duplicate-key.ts';
import type { FaultList } from './fault-list.ts';
import { findJsonFault } from './json-fault.ts';

/**
 * Parses one JSON text of a file. What is not JSON becomes a fault with its line and character, and null; so does an
 * object with a key twice, of which one would win in silence.
 */
export function parseJsonAt(text: string, line: number, faults: FaultList): { value: JsonValue } | null {
  try {
    const value = JSON.parse(text) as JsonValue;
    const twice = findDuplicateKey(text, value);
    if (twice === null) return { value };
    const lineFeeds = text.slice(0, twice.index).match(/\n/g)?.length ?? 0;
    faults.add({ line: line + lineFeeds, ...duplicateKey(twice.key) });
    return null;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const found = findJsonFault(text);
    const before = text.slice(0, found?.index ?? 0);
    const lastBreak = before.lastIndexOf('\n');
    faults.add({
      line: line + (before.match(/\n/g)?.length ?? 0),
      message: `not valid JSON at character ${before.length - lastBreak}: ${found?.message ?? cause.message}`,
    });
    return null;
  }
}

export function duplicateKey(key: string): { message: string; fix: string } {
  return { message: `the key ${JSON.stringify(key)} is there twice in one object`, fix: 'keep one of them' };
}
