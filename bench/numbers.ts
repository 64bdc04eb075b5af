/** The middle value; the mean of the middle two when even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (low === undefined || high === undefined) throw new RangeError('no values');
  return (low + high) / 2;
}

/** `1.03 (1.02–1.05)`: median and range; one value alone where there is one. */
export function spread(values: readonly number[], digits = 2): string {
  const middle = fixed(median(values), digits);
  if (values.length === 1) return middle;
  return `${middle} (${fixed(Math.min(...values), digits)}–${fixed(Math.max(...values), digits)})`;
}

export function fixed(value: number, digits: number): string {
  const shown = value.toFixed(digits);
  return value >= 1000 ? shown.replace(/\B(?=(?:\d{3})+(?:\.|$))/g, ',') : shown;
}

export const megabytes = (bytes: number): number => bytes / 1e6;

/** A Markdown table with its columns aligned, as Biome formats it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, at) => Math.max(3, name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(' | ')} |`;
  return [
    line(head),
    line(
      widths.map(() => ''),
      '-',
    ),
    ...rows.map((row) => line(row)),
  ].join('\n');
}
