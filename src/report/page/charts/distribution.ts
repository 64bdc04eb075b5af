import { max, sum } from 'd3-array';
import { scaleBand, scaleSqrt } from 'd3-scale';
import { countOf, formatCount } from '../../format.ts';
import { html, type Markup } from '../markup.ts';
import { percent } from './bar.ts';

const HEIGHT = 40;

/** How values 0..1 are spread, as columns of equal width; a column that holds anything is seen. */
export function distribution(name: string, bins: readonly number[], mark: number | null): Markup {
  const highest = max(bins) ?? 0;
  if (highest === 0) return html``;
  const across = scaleBand([...bins.keys()], [0, 1]).paddingInner(0.12);
  // By the root: a handful of bad rows beside a thousand good ones is what one looks for.
  const up = scaleSqrt([0, highest], [0, HEIGHT - 3]);
  const columns = bins.map((count, bin) => {
    if (count === 0) return null;
    const height = Math.max(2, up(count));
    // The last column holds 1, which reaches any mark.
    const low = mark !== null && bin < bins.length - 1 && (bin + 1) / bins.length <= mark + 1e-9;
    return html`<rect class="column ${low ? 'low' : ''}" x="${percent(across(bin) ?? 0)}" width="${percent(across.bandwidth())}" y="${(HEIGHT - height).toFixed(1)}" height="${height.toFixed(1)}" rx="1"><title>${edge(bin, bins)} to ${edge(bin + 1, bins)}: ${formatCount(count)}</title></rect>`;
  });
  return html`<svg class="distribution" width="100%" height="${HEIGHT}" role="img" aria-label="${spreadWords(name, bins)}">${columns}<line class="axis" x1="0" x2="100%" y1="${HEIGHT}" y2="${HEIGHT}"/></svg>`;
}

/** What the columns say, in words. */
function spreadWords(name: string, bins: readonly number[]): string {
  const half = bins.length / 2;
  const low = sum(bins.slice(0, half));
  const top = bins.at(-1) ?? 0;
  return `${name}, spread of ${countOf(sum(bins), 'value')}: ${formatCount(low)} below 0.5, ${formatCount(top)} from ${edge(bins.length - 1, bins)} to 1`;
}

const edge = (bin: number, bins: readonly number[]): string => String(Number((bin / bins.length).toFixed(3)));
