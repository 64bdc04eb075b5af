import { min } from 'd3-array';
import { scaleLinear, scalePoint } from 'd3-scale';
import { line, symbol, symbolCircle, symbolTriangle, symbolX } from 'd3-shape';
import { formatPercent, formatScore, formatTime } from '../../format.ts';
import type { HistoryPoint } from '../../report-context.ts';
import { html, type Markup } from '../markup.ts';
import { percent } from './bar.ts';

const HEIGHT = 140;
const TOP = 30;
const BOTTOM = 22;
const SYMBOLS = { pass: symbolCircle, fail: symbolX, error: symbolTriangle } as const;
const WORDS = { pass: 'passed', fail: 'failed', error: 'could not decide' } as const;

/** Pass rate (or score, where no run has a pass rate) of runs, the oldest first; the shape of a point says how its gate ended. */
export function trendLine(points: readonly HistoryPoint[]): Markup {
  const known = points.some((point) => point.pass_rate !== null);
  const ratedAt = (point: HistoryPoint) => (known ? point.pass_rate : point.score);
  const show = known ? formatPercent : formatScore;
  const lowest = min(points, (point) => ratedAt(point) ?? undefined) ?? 0;
  const floor = Math.max(0, Math.floor((lowest - 0.12) * 10) / 10);
  const across = scalePoint([...points.keys()], [0.08, 0.9]);
  const up = scaleLinear([floor, 1], [HEIGHT - BOTTOM, TOP]);
  const path = line<HistoryPoint>()
    .defined((point) => ratedAt(point) !== null)
    .x((_, at) => (across(at) ?? 0) * 100)
    .y((point) => up(ratedAt(point) ?? floor))
    .digits(2)(points);
  const ticks = [floor, 1].map(
    (value) =>
      html`<line class="grid" x1="0" x2="100%" y1="${up(value)}" y2="${up(value)}"/><text class="tick" x="0" y="${up(value) - 4}">${show(value)}</text>`,
  );
  const label = `${known ? 'Pass rate' : 'Score'} of the last ${points.length} runs: ${points.map((point) => wordsOf(ratedAt(point), show, point)).join('; ')}`;
  // The line is stretched to the width; its points are not, so they stand beside it in percent.
  return html`<svg class="trend" width="100%" height="${HEIGHT}" role="img" aria-label="${label}">${ticks}<svg width="100%" height="${HEIGHT}" viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none"><path class="line" d="${path ?? ''}" vector-effect="non-scaling-stroke"/></svg>${points.map(
    (point, at) => {
      const value = ratedAt(point);
      const y = up(value ?? floor);
      const last = at === points.length - 1;
      return html`<svg x="${percent(across(at) ?? 0)}" y="${y.toFixed(1)}" overflow="visible"><path class="point ${point.gate} ${value === null ? 'unknown' : ''}" d="${symbol(SYMBOLS[point.gate], last ? 120 : 60).digits(2)() ?? ''}"><title>${formatTime(point.started_at)}: ${wordsOf(value, show, point)}</title></path>${
        last
          ? html`<text class="now" x="0" y="-12" text-anchor="middle">${value === null ? 'unknown' : show(value)}</text>`
          : null
      }</svg>`;
    },
  )}</svg>`;
}

function wordsOf(value: number | null, show: (value: number) => string, { gate }: HistoryPoint): string {
  return `${value === null ? 'unknown' : show(value)}, ${WORDS[gate]}`;
}
