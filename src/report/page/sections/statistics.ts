import type { RunSummary } from '../../../core/schemas/summary.ts';
import { statisticLines } from '../../statistics-words.ts';
import { html } from '../markup.ts';
import { type Section, scrolling, section } from '../section.ts';

/** How far the numbers of the run reach, each in words; nothing for runs from before there were statistics. */
export function statistics(summary: RunSummary): Section | null {
  const lines = statisticLines(summary);
  if (lines.length === 0) return null;
  const table = html`<table class="sure"><tbody>${lines.map(
    ({ name, figure, words }) =>
      html`<tr><th scope="row" dir="auto">${name}</th><td dir="auto">${figure}</td><td class="words" dir="auto">${words}</td></tr>`,
  )}</tbody></table>`;
  return section(
    { id: 'sure', short: 'How sure', title: 'How sure these numbers are' },
    scrolling('How sure these numbers are', table),
  );
}
