import type { Counts } from '../../../core/schemas/summary.ts';
import type { CauseCounts } from '../../collect/cause-counts.ts';
import { countOf, formatCount, formatPercent } from '../../format.ts';
import { shareBar } from '../charts/share-bar.ts';
import { html, type Markup } from '../markup.ts';
import { type Section, section } from '../section.ts';

const STATUSES = [
  ['scored', 'scored'],
  ['target_error', 'target errors'],
  ['judge_error', 'judge errors'],
  ['skipped', 'skipped'],
] as const;

/** What became of every result that the manifest asks for, and why some have no verdict. */
export function outcomes(counts: Counts, causes: CauseCounts): Section {
  const parts = STATUSES.map(([status]) => ({ className: status, value: counts[status] }));
  const label = `What became of ${countOf(counts.results, 'result')}: ${STATUSES.map(([status, name]) => `${formatCount(counts[status])} ${name}`).join(', ')}`;
  const body = html`${shareBar(parts, label)}<table class="causes"><tbody>${STATUSES.map(([status, name]) => lines(status, name, counts, causes))}</tbody></table>`;
  return section(
    { id: 'outcomes', short: 'Outcomes', title: `What became of ${countOf(counts.results, 'result')}` },
    body,
  );
}

function lines(status: (typeof STATUSES)[number][0], name: string, counts: Counts, causes: CauseCounts): Markup[] {
  const share = counts.results > 0 ? formatPercent(counts[status] / counts.results) : '–';
  const head = html`<tr><th scope="row"><span class="swatch ${status}"></span>${name}</th><td>${formatCount(counts[status])}</td><td class="quiet">${share}</td></tr>`;
  if (status === 'scored') return [head];
  const details = causes.of(status).map(({ cause, count, targets, example }) => {
    const where = targets.size < 2 ? '' : [...targets].map(([target, n]) => `${target} ${formatCount(n)}`).join(', ');
    const notes = [where, example ?? ''].filter((part) => part !== '').join(' · ');
    return html`<tr class="cause"><th scope="row" dir="auto">${cause}${notes === '' ? null : html`<small dir="auto">${notes}</small>`}</th><td>${formatCount(count)}</td><td></td></tr>`;
  });
  return [head, ...details];
}
