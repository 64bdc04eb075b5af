/** Quotes and backslashes would end the string that a rule puts the text into; angle brackets make mentions in Slack. */
const STAND_INS: Readonly<Record<string, string>> = { '"': "'", '\\': '/', '<': '‹', '>': '›' };

/**
 * Any text as one line that can stand inside quotes in the template of an EventBridge rule, in a mail and in a chat:
 * no control and no invisible direction characters, no half characters, at most `length` characters.
 */
export function plainLine(text: string, length: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .replace(/["\\<>]/g, (character) => STAND_INS[character] ?? ' ')
    .trim();
  return cut(line, length);
}

/** Cuts between characters, never inside one. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, length - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
