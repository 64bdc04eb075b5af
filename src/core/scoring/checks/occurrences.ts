/** Start of every place where `needle` stands in `text`, overlapping ones too. */
export function* occurrences(text: string, needle: string): Generator<number> {
  if (needle === '') return;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) yield at;
}

/**
 * Whether the match text[start, end) stands on its own: it continues no word (`ham` in `Hamburg`) and no number
 * (`11` in `711`, in `11.5` or in `1,100`).
 */
export function standsAlone(text: string, start: number, end: number): boolean {
  const before = lastCharacter(text.slice(Math.max(0, start - 2), start));
  const after = firstCharacter(text.slice(end, end + 2));
  const first = firstCharacter(text.slice(start, start + 2));
  const last = lastCharacter(text.slice(Math.max(start, end - 2), end));
  if (isWord(before) && isWord(first)) return false;
  if (isWord(last) && isWord(after)) return false;
  // A separator between digits is part of the number.
  if (isDigit(first) && isSeparator(before) && isDigit(lastCharacter(text.slice(Math.max(0, start - 3), start - 1)))) {
    return false;
  }
  return !(isDigit(last) && isSeparator(after) && isDigit(firstCharacter(text.slice(end + 1, end + 3))));
}

const isWord = (character: string): boolean => /^[\p{L}\p{M}\p{N}_]$/u.test(character);
const isDigit = (character: string): boolean => /^\p{Nd}$/u.test(character);
const isSeparator = (character: string): boolean => character === '.' || character === ',';

function firstCharacter(text: string): string {
  const codePoint = text.codePointAt(0);
  return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
}

function lastCharacter(text: string): string {
  return [...text].at(-1) ?? '';
}
