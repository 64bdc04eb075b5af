export interface JsonFault {
  /** 0-based index of the character where reading stops. */
  readonly index: number;
  readonly message: string;
}

const BLANKS = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold control characters
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

type Expected = 'value' | 'value or "]"' | 'key' | 'key or "}"' | 'more';

/**
 * Where a text that JSON.parse refused stops being JSON. Slower than JSON.parse and only run after it:
 * engines do not always tell the position. Null when the text is JSON.
 */
export function findJsonFault(text: string): JsonFault | null {
  const closers: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    at = matchEnd(BLANKS, text, at) ?? at;
    const char = text[at];
    const closer = closers.at(-1);
    if (expected === 'more' && closer === undefined) {
      return char === undefined ? null : faultAt(text, at, 'nothing more');
    }
    if (char !== undefined && char === closer && expected !== 'value' && expected !== 'key') {
      closers.pop();
      expected = 'more';
      at += 1;
    } else if (expected === 'more') {
      if (char !== ',') return faultAt(text, at, `"," or "${closer}"`);
      expected = closer === '}' ? 'key' : 'value';
      at += 1;
    } else if (expected === 'key' || expected === 'key or "}"') {
      const end = matchEnd(STRING, text, at);
      if (end === null) return faultAt(text, at, `a ${expected} in double quotes`);
      const colon = matchEnd(BLANKS, text, end) ?? end;
      if (text[colon] !== ':') return faultAt(text, colon, '":"');
      expected = 'value';
      at = colon + 1;
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      expected = char === '{' ? 'key or "}"' : 'value or "]"';
      at += 1;
    } else {
      const end = matchEnd(char === '"' ? STRING : SCALAR, text, at);
      if (end === null) return char === '"' ? brokenString(text, at) : faultAt(text, at, `a ${expected}`);
      expected = 'more';
      at = end;
    }
  }
}

function matchEnd(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function faultAt(text: string, index: number, expected: string): JsonFault {
  const rest = text.slice(index, index + 12);
  const found = index >= text.length ? 'the end' : JSON.stringify(rest);
  return { index, message: `expected ${expected}, found ${found}` };
}

function brokenString(text: string, start: number): JsonFault {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20) return { index: at, message: 'a control character inside a string' };
    if (code === 0x22) break;
    if (code === 0x5c) {
      if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(text.slice(at, at + 6))) {
        return { index: at, message: `unknown escape ${JSON.stringify(text.slice(at, at + 2))} in a string` };
      }
      at += 1;
    }
  }
  return { index: start, message: 'a string that starts here never ends' };
}
