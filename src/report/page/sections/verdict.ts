import type { Reason, RunSummary } from '../../../core/schemas/summary.ts';
import { furtherWarnings, judgeNotice } from '../../describe.ts';
import { countOf, formatCount } from '../../format.ts';
import { type HistoryPoint, historyPoint, TREND_RUNS } from '../../report-context.ts';
import { trendLine } from '../charts/trend-line.ts';
import { html, type Markup } from '../markup.ts';

const SIGNS = { pass: '✓', fail: '✕', inconclusive: '?', error: '!' } as const;

const SHAPES = [
  { gate: 'pass', sign: '●', words: 'passed' },
  { gate: 'fail', sign: '✕', words: 'failed' },
  { gate: 'error', sign: '▲', words: 'undecided' },
] as const;

/** The top of the page: what the gate says and why, before anything else; beside it the runs before. `figures` closes it. */
export function verdict(summary: RunSummary, history: readonly HistoryPoint[], figures: Markup): Markup {
  const { gate, decision } = summary;
  const earlier = history.filter(({ run_id }) => run_id !== summary.run_id).slice(-(TREND_RUNS - 1));
  const broken = decision.reasons.filter(({ outcome }) => outcome !== 'pass');
  const held = decision.reasons.filter(({ outcome }) => outcome === 'pass');
  return html`<section class="verdict ${gate}" aria-labelledby="gate"><div class="ruling"><div class="sign" aria-hidden="true">${SIGNS[gate]}</div>
<div><h1 id="gate">${headline(summary)}</h1>
${
  decision.reasons.length > 0
    ? html`<ul class="reasons">${[...broken, ...held].map(reasonItem)}</ul>`
    : html`<p class="quiet">No reason was recorded.</p>`
}${saysMore(summary) ? html`<p class="message" dir="auto">${summary.message}</p>` : null}</div>${earlier.length === 0 ? null : trend([...earlier, historyPoint(summary)])}</div>
${figures}</section>
${caveats(summary)}`;
}

function headline(summary: RunSummary): string {
  if (summary.status === 'cancelled') return 'Run cancelled';
  if (summary.gate === 'error') return 'Gate could not decide';
  if (summary.decision.outcome === 'inconclusive') {
    return summary.gate === 'pass' ? 'Gate passed, inconclusive' : 'Gate failed, inconclusive';
  }
  return summary.gate === 'pass' ? 'Gate passed' : 'Gate failed';
}

function reasonItem(reason: Reason): Markup {
  return html`<li class="${reason.outcome}"><span class="dot" aria-hidden="true">${SIGNS[reason.outcome]}</span><span dir="auto"><span class="sr">${reason.outcome}: </span>${reason.text}</span><code>${reason.rule}</code></li>`;
}

function trend(points: readonly HistoryPoint[]): Markup {
  const rated = points.some(({ pass_rate: rate }) => rate !== null);
  return html`<figure class="history"><figcaption>${rated ? 'Pass rate' : 'Score'}, last ${points.length} runs</figcaption>${trendLine(points)}<p class="legend">${SHAPES.filter(({ gate }) => points.some((point) => point.gate === gate)).map(({ gate, sign, words }) => html`<span class="key shape ${gate}" aria-hidden="true">${sign}</span>${words}`)}</p></figure>`;
}

/** The message repeats the reasons; it is worth a line when it says more than one of them. */
function saysMore({ message, decision }: RunSummary): boolean {
  return !decision.reasons.some(({ text }) => text === message);
}

/** What a reader must know before believing anything on the page. */
function caveats(summary: RunSummary): Markup {
  const { stopped } = summary;
  return noticeList('Read this first', [
    judgeNotice(summary),
    summary.quarantined ? 'This eval is quarantined: it is reported and never decides the gate.' : null,
    stopped === null
      ? null
      : `Stopped after ${formatCount(stopped.after)} of ${countOf(stopped.of, 'row')}: ${stopped.why}.`,
  ]);
}

/** What else the run warns of; stands after what got worse. */
export function warnings(summary: RunSummary): Markup {
  return noticeList('Warnings', furtherWarnings(summary));
}

function noticeList(label: string, texts: readonly (string | null)[]): Markup {
  const said = texts.filter((text) => text !== null);
  if (said.length === 0) return html``;
  return html`<ul class="notices" aria-label="${label}">${said.map((text) => html`<li dir="auto">${text}</li>`)}</ul>\n`;
}
