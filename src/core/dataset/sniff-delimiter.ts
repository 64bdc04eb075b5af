import { fieldOfName } from './fields.ts';

export type Delimiter = ',' | ';' | '\t';
const DELIMITERS: readonly Delimiter[] = [',', ';', '\t'];

/** Index after the first line that is not blank, quotes respected; null while there is no such line break. */
export function headerEnd(text: string): number | null {
  let quoted = false;
  for (let at = /\S/.exec(text)?.index ?? text.length; at < text.length; at++) {
    const char = text[at];
    if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '\n' || char === '\r')) return at;
  }
  return null;
}

/** Decides by the header alone, since cells may hold any of them: most known names first, then most columns. */
export function sniffDelimiter(header: string): Delimiter {
  let best: Delimiter = ',';
  let bestScore = -1;
  for (const delimiter of DELIMITERS) {
    const names = splitHeader(header.trim(), delimiter);
    const known = names.filter((name) => fieldOfName(name) !== null).length;
    const score = known * 10_000 + Math.min(names.length, 9_999);
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

function splitHeader(header: string, delimiter: Delimiter): string[] {
  const names: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at <= header.length; at++) {
    if (header[at] === '"') quoted = !quoted;
    if (at < header.length && (quoted || header[at] !== delimiter)) continue;
    names.push(header.slice(start, at).trim().replace(/^"|"$/g, ''));
    start = at + 1;
  }
  return names;
}
