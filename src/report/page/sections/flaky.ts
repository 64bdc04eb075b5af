import type { RunSummary } from '../../../core/schemas/summary.ts';
import type { FlakyRow, FlakyRows } from '../../collect/flaky-rows.ts';
import { flakeWords, shownTrials } from '../../describe.ts';
import { countOf, formatCount, formatPercent } from '../../format.ts';
import { html, type Markup } from '../markup.ts';
import { rowLink, type Section, scrolling, section } from '../section.ts';

const MOST_ROWS = 60;
const SHOWN_AT_ONCE = 12;
const MOST_MARKS = 20;

/** How far the trials of a row agree: a line a target, then the rows that do not. */
export function flaky(summary: RunSummary, rows: FlakyRows | null): Section | null {
  const found = rows?.flaky() ?? [];
  const repeats = summary.repeats ?? [];
  if (repeats.length === 0 && found.length === 0) return null;
  const several = summary.targets.length > 1;
  const list = found.slice(0, MOST_ROWS).map((row) => rowLine(row, several));
  const more = found.length - list.length;
  const body = html`${repeatTable(repeats)}${
    list.length === 0
      ? html`<p class="quiet">No row passes in one trial and fails in another.</p>`
      : html`<h3>${countOf(found.length, 'flaky row')}${found.length > 1 ? ', nearest to a coin first' : ''}</h3><ul class="flakes">${list.slice(0, SHOWN_AT_ONCE)}</ul>${
          list.length <= SHOWN_AT_ONCE
            ? null
            : html`<details class="group"><summary>${formatCount(list.length - SHOWN_AT_ONCE)} more</summary><ul class="flakes">${list.slice(SHOWN_AT_ONCE)}</ul></details>`
        }${more > 0 ? html`<p class="quiet">… and ${formatCount(more)} more</p>` : null}`
  }`;
  return section({ id: 'flaky', short: 'Flaky', title: 'Repeated trials and flaky rows' }, body);
}

function repeatTable(repeats: NonNullable<RunSummary['repeats']>): Markup | null {
  const [first] = repeats;
  if (first === undefined) return null;
  const ks = shownTrials(first);
  const cells = (values: readonly number[]) =>
    ks.map((k) => html`<td>${values[k - 1] === undefined ? '–' : formatPercent(values[k - 1] ?? 0)}</td>`);
  return html`<p class="quiet">${formatCount(first.trials)} trials a row. pass@k: at least one of k passes. pass^k: all k pass.</p>${scrolling(
    'Repeated trials',
    html`<table><thead><tr><th scope="col">Target</th><th scope="col">Flaky rows</th>${ks.map((k) => html`<th scope="col">pass@${k}</th>`)}${ks.map((k) => html`<th scope="col">pass^${k}</th>`)}</tr></thead>
<tbody>${repeats.map(
      (target) =>
        html`<tr><th scope="row" dir="auto">${target.target}</th><td>${flakeWords(target)}</td>${cells(target.pass_at)}${cells(target.pass_hat)}</tr>`,
    )}</tbody></table>`,
  )}`;
}

function rowLine({ rowId, target, trials, confirm }: FlakyRow, several: boolean): Markup {
  const known = [...trials, ...confirm].filter((passed) => passed !== null);
  const passed = known.filter(Boolean).length;
  const words = `${formatCount(passed)} of ${formatCount(known.length)}`;
  return html`<li><span class="who" dir="auto">${rowLink(rowId)}${several ? html` <small class="quiet" dir="auto">${target}</small>` : null}</span><span class="trials" role="img" aria-label="${words} passed">${marks(trials)}${confirm.length === 0 ? null : html`<span class="quiet">again</span>${marks(confirm)}`}</span></li>`;
}

function marks(trials: readonly (boolean | null)[]): Markup[] {
  return trials
    .slice(0, MOST_MARKS)
    .map((passed) =>
      passed === null
        ? html`<i class="none">–</i>`
        : passed
          ? html`<i class="pass">✓</i>`
          : html`<i class="fail">✕</i>`,
    );
}
