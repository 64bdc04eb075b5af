import { scaleLinear } from 'd3-scale';
import { html, type Markup } from '../markup.ts';

export interface BarInput {
  readonly value: number;
  /** Value at the right end. @default 1 */
  readonly most?: number;
  /** A line across the bar: what the value is held against. */
  readonly mark: number | null;
  readonly interval: readonly [number, number] | null;
  /** A hollow point: the value in the baseline. */
  readonly former?: number | null;
  readonly tone: 'good' | 'bad' | 'plain';
  /** What the bar says, for those who cannot see it. */
  readonly label: string;
}

/** A bar on a scale from 0. Drawn with SVG attributes in percent: it fits any width, and the page's policy allows no style attributes. */
export function bar({ value, most = 1, mark, interval, former = null, tone, label }: BarInput): Markup {
  const at = (number: number) => percent(scaleLinear([0, most], [0, 1])(number));
  const line = (className: string, from: number, to: number, y1: number, y2: number) =>
    html`<line class="${className}" x1="${at(from)}" x2="${at(to)}" y1="${y1}" y2="${y2}"/>`;
  return html`<svg class="bar ${tone}" width="100%" height="18" role="img" aria-label="${label}"><rect class="track" y="4" width="100%" height="10" rx="3"/><rect class="fill" y="4" width="${at(value)}" height="10" rx="3"/>${
    interval === null
      ? null
      : [
          line('ci', interval[0], interval[1], 9, 9),
          line('ci', interval[0], interval[0], 6, 12),
          line('ci', interval[1], interval[1], 6, 12),
        ]
  }${mark === null ? null : line('mark', mark, mark, 0, 18)}${
    former === null ? null : html`<circle class="former" cx="${at(former)}" cy="9" r="4"/>`
  }</svg>`;
}

/** A share 0..1 as an SVG length. */
export function percent(share: number): string {
  return `${Math.round(Math.min(1, Math.max(0, share)) * 100_000) / 1000}%`;
}
