import type { JuryVotes, SplitVote } from '../../collect/jury-votes.ts';
import { formatCount, formatPercent, formatScore } from '../../format.ts';
import { html, type Markup } from '../markup.ts';
import { rowLink, type Section, scrolling, section } from '../section.ts';

/** Where the judges of a jury agree and where not. Nothing with one judge. */
export function judges(votes: JuryVotes): Section | null {
  const metrics = votes.metrics();
  if (metrics.length === 0) return null;
  const names = [...new Set(metrics.flatMap((metric) => metric.judges.map(({ judge }) => judge)))];
  const table = html`<table><thead><tr><th scope="col">Metric</th><th scope="col">Verdicts</th><th scope="col">Judges differ</th>${names.map((name) => html`<th scope="col" dir="auto">${name}<small>mean</small></th>`)}</tr></thead><tbody>${metrics.map(
    ({ metric, voted, differed, judges: of }) =>
      html`<tr><th scope="row" dir="auto">${metric}</th><td>${formatCount(voted)}</td><td class="${differed * 4 > voted ? 'bad' : ''}">${formatCount(differed)} (${formatPercent(differed / voted)})</td>${names.map(
        (name) => {
          const judge = of.find((one) => one.judge === name);
          const failed =
            judge === undefined || judge.failed === 0
              ? null
              : html`<small>${formatCount(judge.failed)} without a verdict</small>`;
          return html`<td>${judge?.mean == null ? '–' : formatScore(judge.mean)}${failed}</td>`;
        },
      )}</tr>`,
  )}</tbody></table>`;
  const splits = votes.splits();
  const body = html`${scrolling('Votes of the judges', table)}${
    splits.length === 0
      ? html`<p class="quiet">They agree everywhere.</p>`
      : html`<h3>Furthest apart</h3><ul class="splits">${splits.map(splitItem)}</ul>`
  }`;
  return section({ id: 'judges', short: 'Judges', title: 'Where the judges differ' }, body);
}

function splitItem({ rowId, metric, votes }: SplitVote): Markup {
  return html`<li>${rowLink(rowId)} <span class="quiet" dir="auto">${metric}</span><ul class="votes">${votes.map(
    ({ judge, value, label, error }) =>
      html`<li dir="auto"><span class="quiet">${judge}</span> <b>${error !== null ? 'no vote' : (label ?? (value === null ? 'does not apply' : formatScore(value)))}</b></li>`,
  )}</ul></li>`;
}
