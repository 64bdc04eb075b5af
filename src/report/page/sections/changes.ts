import type { RunSummary } from '../../../core/schemas/summary.ts';
import { type ChangedAnswers, changedRowIds } from '../../collect/changed-answers.ts';
import { baselineGroups, confirmedWords } from '../../describe.ts';
import { countOf, formatCount, formatDelta, formatPercent, formatPoints, formatScore } from '../../format.ts';
import type { FormerAnswers } from '../../report-context.ts';
import { html, type Markup } from '../markup.ts';
import { idText, rowLink, type Section, section } from '../section.ts';
import { SideBySide } from './side-by-side.ts';

const MOST_IDS = 100;
/** Changed rows that are in sight without unfolding a list. */
const SHOWN_AT_ONCE = 10;

/** What changed against the baseline: figures, then rows that got worse or better with both answers side by side, then the rest. */
export function changes(summary: RunSummary, now: ChangedAnswers, former: FormerAnswers | null): Section | null {
  const { baseline } = summary;
  if (baseline === null) return null;
  const shown = new Set(changedRowIds(baseline));
  const painter = new SideBySide(former?.status === 'read' ? former.answers : null, now);
  const body = html`${figures(baseline)}
${baseline.differences.length > 0 ? html`<ul class="notices"><li>The set-up differs in ${baseline.differences.join(', ')}: compare with care.</li></ul>` : null}
${former?.status === 'gone' && shown.size > 0 ? html`<p class="note-box">Only the new answers can be shown: ${former.why}.</p>` : null}
${rows('regressed', baseline.regressed, shown, painter)}
${rows('fixed', baseline.fixed, shown, painter)}
${otherGroups(baseline)}`;
  return section(
    { id: 'changes', short: 'Changes', title: 'Against the baseline' },
    body,
    html`<code>${baseline.run_id}</code>`,
  );
}

function figures(baseline: NonNullable<RunSummary['baseline']>): Markup {
  const known: [string, string][] = [
    ['Rows in both', formatCount(baseline.same)],
    ['New rows', formatCount(baseline.new)],
  ];
  const rate = baseline.delta === null ? 'unknown' : formatPoints(baseline.delta);
  known.push(['Pass rate', `${rate} (was ${formatPercent(baseline.pass_rate)})`]);
  if (baseline.mean_delta !== null) {
    const was = baseline.score === null ? '' : ` (was ${formatScore(baseline.score)})`;
    known.push(['Score', `${formatDelta(baseline.mean_delta)}${was}`]);
  }
  if (baseline.delta_same !== null) {
    const ci =
      baseline.ci95 === null ? '' : `, 95% CI ${formatPoints(baseline.ci95[0])} to ${formatPoints(baseline.ci95[1])}`;
    known.push(['Same rows only', `${formatPoints(baseline.delta_same)}${ci}`]);
  }
  if (baseline.p_value !== null) known.push(['p (McNemar)', baseline.p_value.toPrecision(2)]);
  const { confirmation } = baseline;
  if (confirmation !== undefined) known.push(['Tried again', confirmedWords(confirmation)]);
  return html`<dl class="facts small">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function rows(
  kind: 'regressed' | 'fixed',
  rowIds: readonly string[],
  shown: ReadonlySet<string>,
  painter: SideBySide,
): Markup {
  if (rowIds.length === 0) return html``;
  const sided = rowIds.filter((id) => shown.has(id));
  const items = sided.map((id, at) => painter.row(kind, id, at === 0));
  const head = kind === 'regressed' ? 'passed before, do not now' : 'failed before, pass now';
  const later = items.slice(SHOWN_AT_ONCE);
  const left = rowIds.length - sided.length;
  return html`<h3 class="kind ${kind}">${formatCount(rowIds.length)} ${kind} <span class="quiet">${head}</span></h3>
<div class="pairs">${items.slice(0, SHOWN_AT_ONCE)}${
    later.length === 0
      ? null
      : html`<details class="group"><summary>${formatCount(later.length)} more ${kind}</summary>${later}</details>`
  }</div>${
    left === 0
      ? null
      : html`<p class="quiet">${countOf(left, 'further row')} ${left === 1 ? 'is' : 'are'} listed in <code>summary.json</code>.</p>`
  }`;
}

function otherGroups(baseline: NonNullable<RunSummary['baseline']>): Markup {
  const groups = baselineGroups(baseline).filter(({ rowIds }) => rowIds.length > 0);
  if (groups.length === 0) return html`<p class="quiet">No row changed its verdict.</p>`;
  return html`${groups
    .filter(({ name }) => name !== 'regressed' && name !== 'fixed')
    .map(({ name, about, rowIds }) => {
      const removed = name === 'removed';
      const ids = rowIds.slice(0, MOST_IDS).map((id) => html`<li>${removed ? idText(id) : rowLink(id)}</li>`);
      const more = rowIds.length - MOST_IDS;
      const passed = baseline.removed_passed.length;
      const lost = removed && passed > 0 ? ` · ${formatCount(passed)} of them passed` : '';
      return html`<details class="group"><summary><b>${formatCount(rowIds.length)} ${name}</b> <span class="quiet">${about}${lost}</span></summary><ul class="ids">${ids}${more > 0 ? html`<li class="quiet">… and ${formatCount(more)} more in summary.json</li>` : null}</ul></details>`;
    })}`;
}
