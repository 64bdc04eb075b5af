import { fitLine, padEnd, padStart, textWidth } from './terminal-text.ts';

const WIDEST_CELL = 48;
const GAP = '  ';

/** Rows as aligned columns for a terminal; long text is cut with …, so that a row stays one line. */
export function renderTextTable(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const cells = rows.map((row) => columns.map((column) => fitLine(cellText(row[column]), WIDEST_CELL)));
  const widths = columns.map((column, position) =>
    Math.max(column.length, ...cells.map((row) => textWidth(row[position] ?? ''))),
  );
  const isNumeric = columns.map((column) => rows.some((row) => typeof row[column] === 'number'));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, position) => {
        const width = widths[position] ?? 0;
        return isNumeric[position] ? padStart(text, width) : padEnd(text, width);
      })
      .join(GAP)
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width));
  return `${[line(columns), line(rule), ...cells.map(line)].join('\n')}\n`;
}

/** What a cell says; nothing known is –, numbers have at most six digits that mean something. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
