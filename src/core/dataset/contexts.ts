import { isJsonObject, type JsonValue } from '../json.ts';
import type { RawRow } from './raw-row.ts';
import { parseText } from './text-values.ts';

/**
 * Passages in any form they come in: a list of texts or of objects with `text` (`content`, `page_content`), the same as JSON text, or one text.
 * Empty passages drop out.
 */
export function readContexts(value: JsonValue, report: RawRow['report']): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? listInText(value) : [value];
  const passages: string[] = [];
  for (const [index, item] of list.entries()) {
    const passage = isJsonObject(item) ? (item.text ?? item.content ?? item.page_content) : item;
    if (typeof passage === 'string') {
      if (passage.trim() !== '') passages.push(passage);
    } else if (passage !== null) {
      report({
        field: `contexts.${index}`,
        message: 'a passage is text, or an object with its text in "text"',
        fix: 'write contexts as a list of texts',
      });
    }
  }
  return passages;
}

/** `["a", "b"]` is a list; other text, such as a passage that starts with `[1]`, is one passage. */
function listInText(text: string): JsonValue[] {
  const parsed = text.trimStart().startsWith('[') ? parseText(text) : null;
  const isList =
    Array.isArray(parsed) && parsed.every((item) => item === null || ['string', 'object'].includes(typeof item));
  return isList ? parsed : [text];
}
