import { max } from 'd3-array';
import { scaleLinear, scaleLog } from 'd3-scale';
import type { LatencySummary } from '../../../core/schemas/summary.ts';
import { BINS_PER_DECADE, type LatencyCounts } from '../../collect/latency-counts.ts';
import { countOf, formatCount, formatMs } from '../../format.ts';
import { html, type Markup } from '../markup.ts';
import { percent } from './bar.ts';

export interface LatencyChart {
  /** What is drawn, for those who cannot see it: `Latency`, `Latency of a`. */
  readonly name: string;
  readonly counts: LatencyCounts;
  readonly latency: Pick<LatencySummary, 'p50_ms' | 'p95_ms'>;
  readonly budgetMs: number | null;
  /** Lowest and highest bin of the axis; several charts share one. */
  readonly range: BinRange;
  readonly height: number;
}

export interface BinRange {
  readonly from: number;
  readonly to: number;
}

const MOST_COLUMNS = 44;
const TOP = 44;
const BOTTOM = 26;

/** Bins that hold all of the counts and marks, with room at both ends. */
export function binRange(counts: readonly LatencyCounts[], marksMs: readonly (number | null)[]): BinRange {
  const bins = counts.flatMap((one) => one.bins().map(([bin]) => bin));
  const marks = marksMs.flatMap((ms) => (ms === null ? [] : [binOf(ms)]));
  return {
    from: Math.floor(Math.min(...bins, ...marks)) - 1,
    to: Math.ceil(Math.max(...bins.map((bin) => bin + 1), ...marks)) + 1,
  };
}

/** Latencies on a log scale, with p50 and p95 from the summary, and the budget when there is one. */
export function latencyHistogram({ name, counts, latency, budgetMs, range, height }: LatencyChart): Markup {
  if (counts.total === 0) return html`<p class="quiet">Nothing was timed.</p>`;
  const step = Math.max(1, Math.ceil((range.to - range.from) / MOST_COLUMNS));
  const columns = joined(counts, range.from, step);
  const across = scaleLog([msOf(range.from), msOf(range.to)], [0, 1]);
  const up = scaleLinear([0, max(columns, ([, count]) => count) ?? 1], [0, height - TOP - BOTTOM]);
  const base = height - BOTTOM;
  const label = [
    `${name}: ${countOf(counts.total, 'answer')}`,
    ...marks(latency, budgetMs).map(([mark, ms]) => `${mark} ${formatMs(ms)}`),
  ].join(', ');
  return html`<svg class="histogram" width="100%" height="${height}" role="img" aria-label="${label}">${columns.map(
    ([bin, count]) => {
      const tall = Math.max(2, up(count));
      const [from, to] = [msOf(bin), msOf(bin + step)];
      const over = budgetMs !== null && Math.sqrt(from * to) > budgetMs;
      return html`<rect class="column ${over ? 'over' : ''}" x="${percent(across(from))}" width="${percent((across(to) - across(from)) * 0.86)}" y="${(base - tall).toFixed(1)}" height="${tall.toFixed(1)}" rx="2"><title>${formatMs(from)} to ${formatMs(to)}: ${formatCount(count)}</title></rect>`;
    },
  )}<line class="axis" x1="0" x2="100%" y1="${base}" y2="${base}"/>${ticks(across, height)}${marks(
    latency,
    budgetMs,
  ).map(([mark, ms, y]) => marker(mark, ms, y, across(ms), base))}</svg>`;
}

function marks(
  latency: LatencyChart['latency'],
  budgetMs: number | null,
): (readonly [name: string, ms: number, y: number])[] {
  const known = [
    ['budget', budgetMs, 40],
    ['p50', latency.p50_ms, 12],
    ['p95', latency.p95_ms, 26],
  ] as const;
  return known.flatMap(([name, ms, y]) => (ms === null ? [] : [[name, Math.max(1, ms), y] as const]));
}

/** Several bins as one column, so that columns stay wide enough to see. */
function joined(counts: LatencyCounts, from: number, step: number): [bin: number, count: number][] {
  const columns = new Map<number, number>();
  for (const [bin, count] of counts.bins()) {
    const start = from + Math.floor((bin - from) / step) * step;
    columns.set(start, (columns.get(start) ?? 0) + count);
  }
  return [...columns];
}

function ticks(across: (ms: number) => number, height: number): Markup[] {
  const decades = Array.from({ length: 8 }, (_, power) => 10 ** power);
  // Room for the label at either end.
  const within = (values: readonly number[]) => values.filter((ms) => across(ms) > 0.04 && across(ms) < 0.95);
  const whole = within(decades);
  const fine = within(decades.flatMap((decade) => [decade, 2 * decade, 5 * decade]));
  const shown = fine.length <= 9 || whole.length < 2 ? fine : whole;
  // On a narrow screen only the decades have room.
  const minor = (ms: number) => whole.length >= 2 && !whole.includes(ms);
  return shown.map(
    (ms) =>
      html`<text class="tick ${minor(ms) ? 'minor' : ''}" x="${percent(across(ms))}" y="${height - 8}" text-anchor="middle">${formatMs(ms)}</text>`,
  );
}

function marker(name: string, ms: number, y: number, at: number, base: number): Markup {
  const right = at > 0.6;
  return html`<g class="marker ${name}"><line x1="${percent(at)}" x2="${percent(at)}" y1="${y - 8}" y2="${base}"/><text x="${percent(at)}" dx="${right ? -6 : 6}" y="${y}" text-anchor="${right ? 'end' : 'start'}">${name} ${formatMs(ms)}</text></g>`;
}

/** Where a latency lies, in bins. */
const binOf = (ms: number): number => Math.log10(Math.max(1, ms)) * BINS_PER_DECADE;
const msOf = (bin: number): number => 10 ** (bin / BINS_PER_DECADE);
