import type { RunSummary } from '../../core/schemas/summary.ts';
import { statisticLines } from '../statistics-words.ts';
import { html, type Markup } from './markup.ts';

/** How far the numbers of the run reach, each in words; nothing for runs from before there were statistics. */
export function statistics(summary: RunSummary): Markup {
  const lines = statisticLines(summary);
  if (lines.length === 0) return html``;
  return html`<section class="card"><h2>How sure these numbers are</h2><div class="scroll" tabindex="0" role="region" aria-label="How sure these numbers are"><table class="sure">
<tbody>${lines.map(
    ({ name, figure, words }) =>
      html`<tr><th dir="auto">${name}</th><td dir="auto">${figure}</td><td class="words" dir="auto">${words}</td></tr>`,
  )}</tbody></table></div></section>`;
}
