import { html, type Markup } from './markup.ts';

export interface BarInput {
  /** 0..1 */
  readonly value: number;
  readonly mark: number | null;
  readonly interval: readonly [number, number] | null;
  readonly tone: 'good' | 'bad' | 'plain';
  /** What the bar says, for those who cannot see it. */
  readonly label: string;
}

/** A bar on a scale of 0 to 1. Drawn with SVG attributes: the page's policy allows no style attributes. */
export function bar({ value, mark, interval, tone, label }: BarInput): Markup {
  return html`<svg class="bar ${tone}" width="100%" height="18" role="img" aria-label="${label}"><rect class="track" y="4" width="100%" height="10" rx="5"/><rect class="fill" y="4" width="${percent(value)}" height="10" rx="5"/>${
    interval === null
      ? null
      : html`<line class="ci" x1="${percent(interval[0])}" x2="${percent(interval[1])}" y1="9" y2="9"/><line class="ci" x1="${percent(interval[0])}" x2="${percent(interval[0])}" y1="6" y2="12"/><line class="ci" x1="${percent(interval[1])}" x2="${percent(interval[1])}" y1="6" y2="12"/>`
  }${mark === null ? null : html`<line class="mark" x1="${percent(mark)}" x2="${percent(mark)}" y1="0" y2="18"/>`}</svg>`;
}

/** A share 0..1 as an SVG length. */
export function percent(share: number): string {
  return `${Math.round(Math.min(1, Math.max(0, share)) * 100_000) / 1000}%`;
}
