import type { RowResult } from '../../core/schemas/result.ts';
import type { Counts } from '../../core/schemas/summary.ts';
import { formatCount, formatPercent } from '../format.ts';
import { percent } from './bar.ts';
import { html, type Markup } from './markup.ts';

const STATUSES = [
  ['scored', 'scored'],
  ['target_error', 'target errors'],
  ['judge_error', 'judge errors'],
  ['skipped', 'skipped'],
] as const;

const MOST_CAUSES = 30;

/** Why results have no verdict, counted while they stream by. */
export class CauseCounts {
  readonly #counts = new Map<string, number>();

  add(result: RowResult): void {
    if (result.status === 'scored' || result.phase !== 'main') return;
    const key = `${result.status}\n${result.cause ?? 'unknown cause'}`;
    // Causes are words from a short list; a strange file may hold anything.
    if (this.#counts.has(key) || this.#counts.size < MOST_CAUSES)
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  render(counts: Counts): Markup {
    let start = 0;
    const parts = STATUSES.map(([status]) => {
      const share = counts.results > 0 ? counts[status] / counts.results : 0;
      const part = html`<rect class="${status}" x="${percent(start)}" width="${percent(share)}" height="14"/>`;
      start += share;
      return part;
    });
    return html`<svg class="stack" width="100%" height="14" role="img" aria-label="What became of ${formatCount(counts.results)} results">${parts}</svg>
<table class="causes"><tbody>${STATUSES.map(([status, name]) => this.#lines(status, name, counts))}</tbody></table>`;
  }

  #lines(status: (typeof STATUSES)[number][0], name: string, counts: Counts): Markup[] {
    const share = counts.results > 0 ? formatPercent(counts[status] / counts.results) : '–';
    const head = html`<tr><th><span class="swatch ${status}"></span>${name}</th><td>${formatCount(counts[status])}</td><td class="quiet">${share}</td></tr>`;
    const causes = [...this.#counts]
      .filter(([key]) => key.startsWith(`${status}\n`))
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    return [
      head,
      ...causes.map(
        ([key, count]) =>
          html`<tr class="cause"><th>${key.slice(status.length + 1)}</th><td>${formatCount(count)}</td><td></td></tr>`,
      ),
    ];
  }
}
