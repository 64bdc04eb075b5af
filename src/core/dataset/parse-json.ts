import type { JsonValue } from '../json.ts';
import type { FaultList } from './fault-list.ts';
import { findJsonFault } from './json-fault.ts';

/** Parses one JSON text of a file. What is not JSON becomes a fault with its line and character, and null. */
export function parseJsonAt(text: string, line: number, faults: FaultList): { value: JsonValue } | null {
  try {
    return { value: JSON.parse(text) as JsonValue };
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
