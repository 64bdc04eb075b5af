import { compilePattern } from './pattern.ts';

/**
 * The part of a text that a check compares: at the first match, the first capture group that took part, else the whole
 * match. Null when nothing matches. For the last match in a text, start the pattern with `(?s).*`.
 */
export function extractText(source: string, text: string): string | null {
  const compiled = compilePattern(source);
  if (!compiled.ok) throw new TypeError(`${compiled.message}; configurations are checked before rows are scored`);
  const matcher = compiled.pattern.matcher(text);
  if (!matcher.find()) return null;
  for (let group = 1; group <= matcher.groupCount(); group += 1) {
    const found = matcher.group(group);
    if (found !== null && found !== undefined) return found;
  }
  return matcher.group() ?? null;
}
