/**
 * Characters that draw nothing and can forge what is around them: controls (ANSI sequences start with one), marks that
 * turn the reading direction, invisible spaces and tags. Tab and line feed stay, and so do the joiners that emoji and
 * Persian need. The text of a regular expression's class, shared with the report's own script.
 */
export const HIDDEN_CHARACTERS =
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]';

const hidden = new RegExp(HIDDEN_CHARACTERS, 'gu');

/** The text with every hidden character spelled out, such as `⟨U+202E⟩`, and every lone surrogate replaced. */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n/g, '\n')
    .replace(hidden, (character) => `⟨${codePointName(character)}⟩`);
}

/** The same on one line: white space of any kind becomes one space. */
export function visibleLine(text: string): string {
  return visibleText(text.replace(/[\s\u0085]+/gu, ' ').trim());
}

/** At most `limit` UTF-16 units, never half of a pair. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? limit - 1 : limit);
}

/** The same as a copy: a part of a string would hold on to the whole of it, and what is kept must stay small. */
export function ownCut(text: string, limit: number): string {
  return text.length <= limit ? text : Buffer.from(cutText(text, limit), 'utf16le').toString('utf16le');
}

/** One visible line of at most `limit` UTF-16 units, ending in … when something was left out. */
export function snippet(text: string, limit: number): string {
  // What is shown comes from the beginning: no need to walk through a megabyte.
  const line = visibleLine(cutText(text, limit * 4));
  return line.length <= limit && text.length <= limit * 4 ? line : `${cutText(line, limit - 1)}…`;
}

function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
