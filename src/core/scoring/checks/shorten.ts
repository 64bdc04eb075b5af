/** Text as a reason quotes it: one line, at most 80 characters. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const characters = [...line.slice(0, 200)];
  return JSON.stringify(characters.length > 80 ? `${characters.slice(0, 79).join('')}…` : line);
}
