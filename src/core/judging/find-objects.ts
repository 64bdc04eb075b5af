import { isJsonObject, type JsonObject } from '../json.ts';

/** Characters looked at in one text, scans from several braces added up: hostile braces may not cost quadratic time. */
const MAX_STEPS = 20_000_000;
const NEXT_MARK = /\{|<\/?(?:think|thinking|reasoning)\s*>/gi;
const OBJECT_START = /\{\s*["}]/y;

/**
 * JSON objects in free text that `isWanted` accepts, outermost first, in order. Text in reasoning blocks
 * (`<think>…</think>` and the like; what comes before a closing tag without an opening one too) is not read.
 * Null when the text is too tangled to be searched.
 */
export function findObjects(text: string, isWanted: (object: JsonObject) => boolean): JsonObject[] | null {
  let found: JsonObject[] = [];
  let steps = 0;
  let position = 0;
  for (;;) {
    NEXT_MARK.lastIndex = position;
    const mark = NEXT_MARK.exec(text);
    if (mark === null) return found;
    position = mark.index + 1;
    if (mark[0] === '{') {
      OBJECT_START.lastIndex = mark.index;
      if (!OBJECT_START.test(text)) continue;
      const { end, looked } = endOfObject(text, mark.index);
      steps += looked;
      if (steps > MAX_STEPS) return null;
      const object = end === null ? null : parseObject(text.slice(mark.index, end));
      if (object !== null && end !== null && isWanted(object)) {
        found.push(object);
        position = end;
      }
    } else if (mark[0].startsWith('</')) {
      found = [];
    } else {
      const closing = new RegExp(`</${mark[0].slice(1, -1).trim()}\\s*>`, 'gi');
      closing.lastIndex = position;
      const close = closing.exec(text);
      if (close === null) return found; // never closed: the rest is reasoning
      position = close.index + close[0].length;
    }
  }
}

/** The object that the whole text is, or null. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null; // not JSON is an answer here, not a failure
  }
}

/** Where the object that starts at `start` ends; braces inside strings do not count. */
function endOfObject(text: string, start: number): { end: number | null; looked: number } {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i += 1) {
    const character = text[i];
    if (inString) {
      if (character === '\\') i += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return { end: i + 1, looked: i + 1 - start };
    }
  }
  return { end: null, looked: text.length - start };
}
