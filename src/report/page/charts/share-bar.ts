import { cumsum, sum } from 'd3-array';
import { html, type Markup } from '../markup.ts';
import { percent } from './bar.ts';

/** Parts of a whole, side by side; `className` gives each its colour. Nothing when the whole is 0. */
export function shareBar(
  parts: readonly { readonly className: string; readonly value: number }[],
  label: string,
): Markup {
  const total = sum(parts, ({ value }) => value);
  if (total === 0) return html``;
  const ends = cumsum(parts, ({ value }) => value / total);
  return html`<svg class="stack" width="100%" height="14" role="img" aria-label="${label}">${parts.map(
    ({ className, value }, at) =>
      html`<rect class="${className}" x="${percent((ends[at] ?? 0) - value / total)}" width="${percent(value / total)}" height="14"/>`,
  )}</svg>`;
}
