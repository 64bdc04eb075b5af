export interface Series {
  readonly name: string;
  readonly color: string;
}

export interface Panel {
  readonly title: string;
  readonly groups: readonly {
    readonly label: string;
    /** One value a series, 0..1. */
    readonly values: readonly number[];
  }[];
}

export interface BarChart {
  readonly title: string;
  readonly series: readonly Series[];
  readonly panels: readonly Panel[];
  /** Share at the top of the axis. @default 1 */
  readonly most?: number;
  /** A line across, such as the rate that should not be passed. */
  readonly line?: { readonly at: number; readonly label: string };
}

const PANEL = { width: 250, height: 190, gap: 34 };
const TOP = 70;
const LEFT = 48;
const FONT = 'font-family="system-ui, sans-serif"';

/** Grouped bars of shares, a panel beside the other, as one SVG that needs nothing else. */
export function barChart({ title, series, panels, line, most = 1 }: BarChart): string {
  const width = LEFT + panels.length * (PANEL.width + PANEL.gap);
  const height = TOP + PANEL.height + 56;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(LEFT, 20, title, { size: 15, weight: 600 }),
    ...legend(series),
    ...panels.map((panel, index) =>
      drawPanel(panel, LEFT + index * (PANEL.width + PANEL.gap), series, line, most, index === 0),
    ),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

function legend(series: readonly Series[]): string[] {
  let x = LEFT;
  return series.flatMap(({ name, color }) => {
    const parts = [
      `<rect x="${x}" y="32" width="11" height="11" fill="${color}"/>`,
      text(x + 16, 42, name, { size: 12 }),
    ];
    x += 30 + name.length * 6.6;
    return parts;
  });
}

function drawPanel(
  { title, groups }: Panel,
  x: number,
  series: readonly Series[],
  line: BarChart['line'],
  most: number,
  isFirst: boolean,
): string {
  const bottom = TOP + PANEL.height;
  const y = (value: number) => bottom - (value / most) * PANEL.height;
  const parts = [text(x, TOP - 8, title, { size: 12, weight: 600 })];
  for (const tick of [0, 0.25, 0.5, 0.75, 1].map((part) => part * most)) {
    parts.push(`<line x1="${x}" y1="${y(tick)}" x2="${x + PANEL.width}" y2="${y(tick)}" stroke="#e2e2e2"/>`);
    if (isFirst)
      parts.push(text(x - 8, y(tick) + 4, `${Number((tick * 100).toFixed(2))}%`, { size: 11, anchor: 'end' }));
  }
  const groupWidth = PANEL.width / groups.length;
  const barWidth = (groupWidth * 0.78) / series.length;
  for (const [at, group] of groups.entries()) {
    const left = x + at * groupWidth + groupWidth * 0.11;
    for (const [index, value] of group.values.entries()) {
      const barX = (left + index * barWidth).toFixed(1);
      const tall = Math.max(0.6, (value / most) * PANEL.height).toFixed(1);
      const name = `${series[index]?.name ?? ''}, ${group.label}: ${percent(value)}`;
      parts.push(
        `<rect x="${barX}" y="${(bottom - Number(tall)).toFixed(1)}" width="${(barWidth - 1).toFixed(1)}" height="${tall}" fill="${series[index]?.color ?? '#888'}"><title>${escaped(name)}</title></rect>`,
      );
    }
    parts.push(text(x + (at + 0.5) * groupWidth, bottom + 17, group.label, { size: 11, anchor: 'middle' }));
  }
  if (line !== undefined) {
    parts.push(
      `<line x1="${x}" y1="${y(line.at)}" x2="${x + PANEL.width}" y2="${y(line.at)}" stroke="#b3261e" stroke-dasharray="4 3"/>`,
    );
    if (isFirst) parts.push(text(x, bottom + 40, `dashed: ${line.label}`, { size: 11, color: '#b3261e' }));
  }
  return parts.join('\n');
}

interface TextOptions {
  readonly size: number;
  readonly weight?: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly color?: string;
}

function text(
  x: number,
  y: number,
  content: string,
  { size, weight = 400, anchor = 'start', color = '#222' }: TextOptions,
): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${FONT} font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" fill="${color}">${escaped(content)}</text>`;
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
const escaped = (raw: string): string => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
