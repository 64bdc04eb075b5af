import { visibleLine } from './visible-text.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

const codes: Record<Style, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export function createPaint(color: boolean): Paint {
  if (!color) return (_style, text) => text;
  return (style, text) => `\u001b[${codes[style][0]}m${text}\u001b[${codes[style][1]}m`;
}

/** Columns the text takes on a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** One visible line that fits into `columns`, ending in … when something was left out. */
export function fitLine(text: string, columns: number): string {
  const line = visibleLine(text.slice(0, columns * 8));
  if (text.length <= columns * 8 && textWidth(line) <= columns) return line;
  let kept = '';
  let width = 0;
  for (const character of line) {
    width += characterWidth(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** The text broken at spaces into lines of at most `columns`; a longer word is broken where it must. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of visibleLine(text).split(' ')) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > columns) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
    while (textWidth(line) > columns) {
      const head = headOf(line, columns);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - textWidth(text))) + text;
}

function headOf(text: string, columns: number): string {
  let head = '';
  let width = 0;
  for (const character of text) {
    width += characterWidth(character);
    // At least one character, or breaking would never end.
    if (width > columns && head !== '') break;
    head += character;
  }
  return head;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const joining = /[\p{Mn}\p{Me}\u200c\u200d]/u;

function characterWidth(character: string): number {
  if (character < '\u0300') return 1;
  if (joining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
