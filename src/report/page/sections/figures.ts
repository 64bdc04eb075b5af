import type { RunConfig } from '../../../core/schemas/run.ts';
import type { RunSummary } from '../../../core/schemas/summary.ts';
import { countsWords, latencyNotes } from '../../describe.ts';
import {
  formatCount,
  formatDelta,
  formatMs,
  formatPercent,
  formatPoints,
  formatScore,
  formatUsd,
  msAgainst,
  percentAgainst,
  scoreAgainst,
  shownInterval,
  usdAgainst,
} from '../../format.ts';
import { html, type Markup } from '../markup.ts';

/** Points of the pass rate or of the score by which a change shows an arrow. */
const TOLERANCE = 1e-9;

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly detail: string;
  /** Null: nothing is asked of it. */
  readonly broken: boolean | null;
  /** Against the baseline; positive is better. */
  readonly change?: { readonly by: number; readonly words: string } | null;
}

/** The five numbers people ask for. */
export function figures(summary: RunSummary, config: RunConfig): Markup {
  const all = [
    scoreFigure(summary, config),
    passRateFigure(summary, config),
    { name: 'Rows', value: formatCount(summary.counts.rows), detail: countsWords(summary.counts), broken: null },
    latencyFigure(summary, config),
    costFigure(summary, config),
  ];
  return html`<dl class="figures" aria-label="Key figures">${all.map(figure)}</dl>`;
}

function figure({ name, value, detail, broken, change = null }: Figure): Markup {
  const tone = broken === null ? '' : broken ? 'bad' : 'good';
  const arrow = change === null || Math.abs(change.by) <= TOLERANCE ? null : change.by > 0 ? 'up' : 'down';
  return html`<div class="figure ${tone}"><dt>${name}</dt><dd><span class="value">${value}</span>${
    change === null ? null : html`<span class="change ${arrow ?? ''}">${change.words}</span>`
  }<span class="detail" dir="auto">${detail}</span></dd></div>`;
}

function scoreFigure({ score, score_ci95, baseline }: RunSummary, config: RunConfig): Figure {
  const name = 'Score';
  const ci = shownInterval(score_ci95);
  if (score === null) return { name, value: 'not scored', detail: 'no row counts', broken: null };
  const limit = config.policy.min_score;
  const shown = limit === null ? { value: formatScore(score), limit: '' } : scoreAgainst(score, limit);
  const interval = ci === null ? '' : `95% CI ${formatScore(ci[0])} to ${formatScore(ci[1])}`;
  const detail = joined([limit === null ? '' : `needs ${shown.limit}`, interval]);
  const delta = baseline?.mean_delta ?? null;
  const change = delta === null ? null : { by: delta, words: formatDelta(delta) };
  return { name, value: shown.value, detail, broken: limit === null ? null : score < limit - TOLERANCE, change };
}

function passRateFigure({ pass_rate: rate, pass_rate_ci95: ci, baseline }: RunSummary, config: RunConfig): Figure {
  const name = 'Pass rate';
  if (rate === null) return { name, value: 'unknown', detail: 'no row counts', broken: null };
  const limit = config.policy.pass_rate;
  const shown = limit === null ? { value: formatPercent(rate), limit: '' } : percentAgainst(rate, limit);
  const interval = ci === null ? '' : `95% CI ${formatPercent(ci[0])} to ${formatPercent(ci[1])}`;
  const detail = joined([limit === null ? '' : `needs ${shown.limit}`, interval]);
  const delta = baseline?.delta ?? null;
  const change = delta === null ? null : { by: delta, words: formatPoints(delta) };
  return { name, value: shown.value, detail, broken: limit === null ? null : rate < limit - TOLERANCE, change };
}

function latencyFigure({ latency }: RunSummary, config: RunConfig): Figure {
  const name = 'Latency p95';
  const { p50_ms: p50, p95_ms: p95 } = latency;
  if (p50 === null || p95 === null) return { name, value: 'not timed', detail: '', broken: null };
  const limit = config.policy.max_p95_latency_ms;
  const shown = limit === null ? { value: formatMs(p95), limit: '' } : msAgainst(p95, limit);
  const detail = joined([
    `p50 ${formatMs(p50)}`,
    limit === null ? '' : `at most ${shown.limit}`,
    latencyNotes(latency),
  ]);
  return { name, value: shown.value, detail, broken: limit === null ? null : p95 > limit + TOLERANCE };
}

function costFigure(summary: RunSummary, config: RunConfig): Figure {
  const name = 'Cost';
  const { total_usd: total, unknown, not_metered } = summary.cost;
  const limit = config.policy.max_cost_usd;
  const detail = costDetail(summary);
  if (total === null || unknown.length > 0) return { name, value: 'unknown', detail, broken: null };
  if (total === 0 && not_metered.length > 0) return { name, value: 'not metered', detail, broken: null };
  if (limit === null) return { name, value: formatUsd(total), detail, broken: null };
  const shown = usdAgainst(total, limit);
  return {
    name,
    value: shown.value,
    detail: joined([`at most ${shown.limit}`, detail]),
    broken: total > limit + TOLERANCE,
  };
}

function costDetail({ cost }: RunSummary): string {
  const parts: string[] = [];
  if (cost.not_metered.length > 0) parts.push(`not metered: ${cost.not_metered.join(', ')}`);
  if (cost.unknown.length > 0) parts.push(`no price for ${cost.unknown.join(', ')}`);
  return joined(parts);
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');
