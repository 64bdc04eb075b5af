import type { RunSummary } from '../../../core/schemas/summary.ts';
import { cacheWords, canaryWords, costWords, durationMs, judgeNames } from '../../describe.ts';
import { countOf, formatCount, formatMs, formatPercent, formatTime } from '../../format.ts';
import { html, type Markup } from '../markup.ts';
import { type Section, section } from '../section.ts';

/** What was run, by whom it was judged, when, and for how much. */
export function setup(summary: RunSummary): Section {
  const { dataset } = summary;
  const took = durationMs(summary);
  const left = dataset.without_input > 0 ? `, ${countOf(dataset.without_input, 'row')} without input left out` : '';
  const known: [string, Markup | string | null][] = [
    [
      'Dataset',
      html`${dataset.id} <code>${dataset.version.slice(0, 12)}</code>, ${countOf(dataset.rows, 'row')}${left}`,
    ],
    ['Target', summary.targets.map((target) => [target.id, target.model].filter(Boolean).join(' · ')).join(', ')],
    [summary.judges.length > 1 ? 'Judges (a jury)' : 'Judge', judgeNames(summary)],
    ['Started', formatTime(summary.started_at)],
    ['Took', took === null ? 'unknown' : formatMs(took)],
    ['Cost', costWords(summary.cost)],
    ['Canaries', canaryWords(summary)],
    ['Kept verdicts', cacheWords(summary)],
    ['Coverage', coverage(summary)],
    ['Commit', commit(summary)],
  ];
  const shown = known.filter(([, value]) => value !== null && value !== '');
  return section(
    { id: 'setup', short: 'Setup', title: 'What was run' },
    html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`)}</dl>`,
  );
}

function coverage(summary: RunSummary): string {
  const { counts } = summary;
  if (summary.coverage === null) return 'unknown';
  const counted = counts.scored + counts.target_error;
  return `${formatPercent(summary.coverage)} (${formatCount(counted)} of ${countOf(counts.results, 'result')})`;
}

function commit(summary: RunSummary): Markup | null {
  if (summary.ref === null && summary.sha === null) return null;
  return html`${summary.ref ?? ''} ${summary.sha === null ? null : html`<code>${summary.sha.slice(0, 12)}</code>`}`;
}
