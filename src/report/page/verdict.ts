import type { RunConfig } from '../../core/schemas/run.ts';
import type { Reason, RunSummary } from '../../core/schemas/summary.ts';
import {
  cacheWords,
  canaryWords,
  costWords,
  countsWords,
  durationMs,
  furtherWarnings,
  judgeNames,
  judgeNotice,
  latencyNotes,
} from '../describe.ts';
import {
  countOf,
  formatCount,
  formatMs,
  formatPercent,
  formatScore,
  formatTime,
  formatUsd,
  msAgainst,
  percentAgainst,
  scoreAgainst,
  shownInterval,
  usdAgainst,
} from '../format.ts';
import { html, type Markup } from './markup.ts';

const SIGNS = { pass: '✓', fail: '✕', inconclusive: '?', error: '!' } as const;

/** The top of the page: what the gate says and why, before anything else. */
export function verdict(summary: RunSummary): Markup {
  const { gate, decision } = summary;
  return html`<section class="verdict ${gate}" aria-labelledby="gate">
<div class="sign" aria-hidden="true">${SIGNS[gate]}</div>
<div><h1 id="gate">${headline(summary)}</h1>
<p class="message" dir="auto">${summary.message}</p>
${
  decision.reasons.length > 0
    ? html`<ul class="reasons">${decision.reasons.map(reasonItem)}</ul>`
    : html`<p class="quiet">No reason was recorded.</p>`
}</div>
</section>${notices(summary)}`;
}

/** What was run, by whom it was judged, when, and for how much. */
export function facts(summary: RunSummary): Markup {
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
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`)}</dl>`;
}

/** The five numbers people ask for. */
export function tiles(summary: RunSummary, config: RunConfig): Markup {
  return html`<section class="tiles" aria-label="Key figures">${[
    scoreTile(summary, config),
    passRateTile(summary, config),
    tile('Rows', formatCount(summary.counts.rows), countsWords(summary.counts), null),
    latencyTile(summary, config),
    costTile(summary, config),
  ]}</section>`;
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

function notices(summary: RunSummary): Markup {
  const texts = [
    judgeNotice(summary),
    summary.quarantined ? 'This eval is quarantined: it is reported and never decides the gate.' : null,
    summary.stopped === null
      ? null
      : `Stopped after ${formatCount(summary.stopped.after)} of ${countOf(summary.stopped.of, 'row')}: ${summary.stopped.why}.`,
    ...furtherWarnings(summary),
  ].filter((text) => text !== null);
  if (texts.length === 0) return html``;
  return html`<ul class="notices" aria-label="Warnings">${texts.map((text) => html`<li dir="auto">${text}</li>`)}</ul>`;
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

function tile(name: string, value: string, detail: string, broken: boolean | null): Markup {
  const tone = broken === null ? '' : broken ? 'bad' : 'good';
  return html`<div class="tile ${tone}"><h2>${name}</h2><p class="value">${value}</p><p class="detail" dir="auto">${detail}</p></div>`;
}

function scoreTile(summary: RunSummary, config: RunConfig): Markup {
  const { score } = summary;
  const ci = shownInterval(summary.score_ci95);
  if (score === null) return tile('Score', 'not scored', 'no row counts', null);
  const limit = config.policy.min_score;
  const shown = limit === null ? { value: formatScore(score), limit: '' } : scoreAgainst(score, limit);
  const interval = ci === null ? '' : `95% CI ${formatScore(ci[0])} to ${formatScore(ci[1])}`;
  const detail = [limit === null ? '' : `needs ${shown.limit}`, interval].filter((part) => part !== '').join(' · ');
  return tile('Score', shown.value, detail, limit === null ? null : score < limit - 1e-9);
}

function passRateTile(summary: RunSummary, config: RunConfig): Markup {
  const { pass_rate: rate, pass_rate_ci95: ci } = summary;
  if (rate === null) return tile('Pass rate', 'unknown', 'no row counts', null);
  const limit = config.policy.pass_rate;
  const shown = limit === null ? { value: formatPercent(rate), limit: '' } : percentAgainst(rate, limit);
  const interval = ci === null ? '' : `95% CI ${formatPercent(ci[0])} to ${formatPercent(ci[1])}`;
  const detail = [limit === null ? '' : `needs ${shown.limit}`, interval].filter((part) => part !== '').join(' · ');
  return tile('Pass rate', shown.value, detail, limit === null ? null : rate < limit - 1e-9);
}

function latencyTile({ latency }: RunSummary, config: RunConfig): Markup {
  const { p50_ms: p50, p95_ms: p95 } = latency;
  if (p50 === null || p95 === null) return tile('Latency p95', 'not timed', '', null);
  const limit = config.policy.max_p95_latency_ms;
  const shown = limit === null ? { value: formatMs(p95), limit: '' } : msAgainst(p95, limit);
  const detail = [`p50 ${formatMs(p50)}`, limit === null ? '' : `at most ${shown.limit}`, latencyNotes(latency)];
  const text = detail.filter((part) => part !== '').join(' · ');
  return tile('Latency p95', shown.value, text, limit === null ? null : p95 > limit + 1e-9);
}

function costTile(summary: RunSummary, config: RunConfig): Markup {
  const { total_usd: total, unknown, not_metered } = summary.cost;
  const limit = config.policy.max_cost_usd;
  if (total === null || unknown.length > 0) return tile('Cost', 'unknown', costDetail(summary), null);
  if (total === 0 && not_metered.length > 0) return tile('Cost', 'not metered', costDetail(summary), null);
  if (limit === null) return tile('Cost', formatUsd(total), costDetail(summary), null);
  const shown = usdAgainst(total, limit);
  const detail = [`at most ${shown.limit}`, costDetail(summary)].filter((part) => part !== '').join(' · ');
  return tile('Cost', shown.value, detail, total > limit + 1e-9);
}

function costDetail({ cost }: RunSummary): string {
  const tokens = (usage: RunSummary['cost']['tokens']['target']) =>
    usage.input + usage.output + usage.cache_read + usage.cache_write;
  const used: [string, number][] = [
    ['target', tokens(cost.tokens.target)],
    ['judge', tokens(cost.tokens.judge)],
  ];
  const parts = used.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${formatCount(count)} tokens`);
  if (cost.unknown.length > 0) parts.unshift(`no price for ${cost.unknown.join(', ')}`);
  if (cost.not_metered.length > 0) parts.unshift(`not metered: ${cost.not_metered.join(', ')}`);
  return parts.join(' · ');
}
