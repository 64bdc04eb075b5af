export interface JsonFault {
  /** 0-based index of the character where reading stops. */
  readonly index: number;
  readonly message: string;
}

const BLANKS = /[ \t\r\n]*/y;
const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;
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
      if (char !== '"') return faultAt(text, at, expected.replace('key', 'a key in double quotes'));
      const end = stringEnd(text, at);
      if (typeof end !== 'number') return end;
      const colon = matchEnd(BLANKS, text, end) ?? end;
      if (text[colon] !== ':') return faultAt(text, colon, '":"');
      expected = 'value';
      at = colon + 1;
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      expected = char === '{' ? 'key or "}"' : 'value or "]"';
      at += 1;
    } else {
      const end =
        char === '"' ? stringEnd(text, at) : (matchEnd(SCALAR, text, at) ?? faultAt(text, at, `a ${expected}`));
      if (typeof end !== 'number') return end;
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

/** Where a string ends that starts at `start`. A loop: a pattern would exhaust the stack on a long string. */
function stringEnd(text: string, start: number): number | JsonFault {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return { index: at, message: 'a control character inside a string' };
    if (code !== 0x5c) continue;
    if (!ESCAPE.test(text.slice(at, at + 6))) {
      return { index: at, message: `unknown escape ${JSON.stringify(text.slice(at, at + 2))} in a string` };
    }
    at += 1;
  }
  return { index: start, message: 'a string that starts here never ends' };
}
