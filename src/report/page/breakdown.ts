import type { RunConfig } from '../../core/schemas/run.ts';
import type { MetricSummary, RunSummary } from '../../core/schemas/summary.ts';
import { baselineGroups, confirmedWords, flakeWords, shownTrials, targetCostWords } from '../describe.ts';
import {
  countOf,
  formatCount,
  formatDelta,
  formatMs,
  formatPercent,
  formatPoints,
  formatScore,
  scoreAgainst,
  shownInterval,
} from '../format.ts';
import { isBelow, type MetricMark, metricMark } from '../metric-mark.ts';
import { bar } from './bar.ts';
import { html, type Markup } from './markup.ts';

const MOST_IDS = 100;
const MOST_TAGS = 60;

/** One bar a metric, with what it is held against. */
export function metrics(summary: RunSummary, config: RunConfig): Markup {
  const sources = { policy: config.policy, thresholds: config.eval.thresholds };
  const lines = Object.entries(summary.metrics).map(([name, metric]) =>
    metricLine(name, metric, metricMark(name, sources)),
  );
  if (lines.length === 0) return html``;
  const rowMark = config.policy.row_mark;
  return html`<section class="card"><h2>Metrics</h2><div class="metrics">${lines}</div>
<p class="legend"><span class="key mark"></span>${rowMark === null ? 'floor or minimum' : `floor, or the row mark ${scoreAgainst(rowMark, rowMark).limit}`}<span class="key ci"></span>95% confidence interval</p></section>`;
}

function metricLine(name: string, metric: MetricSummary, mark: MetricMark | null): Markup {
  const n = `n ${formatCount(metric.n)}${metric.unscored > 0 ? `, ${formatCount(metric.unscored)} unscored` : ''}`;
  if (metric.mean === null) {
    return html`<div class="metric"><h3 dir="auto">${name}</h3><p class="quiet none">not scored</p><p class="num">–</p><p class="quiet">${n}</p></div>`;
  }
  const shown = mark === null ? { value: formatScore(metric.mean), limit: '' } : scoreAgainst(metric.mean, mark.value);
  const below = isBelow(metric.mean, mark);
  const interval = shownInterval(metric.ci95);
  const ci = interval === null ? '' : ` · ${formatScore(interval[0])} to ${formatScore(interval[1])}`;
  // The row mark is the same for every metric: the legend says it once.
  const held = mark === null || mark.kind === 'row mark' ? '' : `${mark.kind} ${shown.limit} · `;
  const tone = below ? 'bad' : mark === null || mark.kind === 'row mark' ? 'plain' : 'good';
  const label = `${name}: ${shown.value}${mark === null ? '' : `, ${mark.kind} ${shown.limit}`}`;
  return html`<div class="metric"><h3 dir="auto">${name}</h3>${bar({ value: metric.mean, mark: mark?.value ?? null, interval, tone, label })}<p class="num ${below ? 'bad' : ''}">${shown.value}</p><p class="quiet">${held}${n}${ci}</p></div>`;
}

/** Each target apart; nothing when there is one. */
export function targets(summary: RunSummary): Markup {
  if (summary.targets.length < 2) return html``;
  const names = Object.keys(summary.metrics);
  const number = (value: number | null, show: (value: number) => string) => (value === null ? '–' : show(value));
  return html`<section class="card"><h2>Targets</h2><div class="scroll" tabindex="0" role="region" aria-label="Targets"><table>
<thead><tr><th>Target</th><th>Score</th><th>Pass rate</th>${names.map((name) => html`<th>${name}</th>`)}<th>p50</th><th>p95</th><th>Errors</th><th>Cost</th></tr></thead>
<tbody>${summary.targets.map(
    (target) =>
      html`<tr><th dir="auto">${target.id}<small>${target.model ?? target.type}</small></th><td>${number(target.score, formatScore)}</td><td>${number(target.pass_rate, formatPercent)}</td>${names.map(
        (name) => html`<td>${number(target.metrics[name]?.mean ?? null, formatScore)}</td>`,
      )}<td>${number(target.latency.p50_ms, formatMs)}</td><td>${number(target.latency.p95_ms, formatMs)}</td><td>${formatCount(
        target.counts.target_error + target.counts.judge_error,
      )}</td><td>${targetCostWords(target.cost)}</td></tr>`,
  )}</tbody></table></div></section>`;
}

/** How far the trials of a row agree, a line a target. */
export function repeats(summary: RunSummary): Markup {
  const all = summary.repeats ?? [];
  const [first] = all;
  if (first === undefined) return html``;
  const ks = shownTrials(first);
  const cells = (values: readonly number[]) =>
    ks.map((k) => html`<td>${values[k - 1] === undefined ? '–' : formatPercent(values[k - 1] ?? 0)}</td>`);
  return html`<section class="card"><h2>Repeated trials</h2><p class="quiet">${countOf(first.trials, 'trial')} a row. pass@k: at least one of k passes. pass^k: all k pass.</p><div class="scroll" tabindex="0" role="region" aria-label="Repeated trials"><table>
<thead><tr><th>Target</th><th>Flaky rows</th>${ks.map((k) => html`<th>pass@${k}</th>`)}${ks.map((k) => html`<th>pass^${k}</th>`)}</tr></thead>
<tbody>${all.map(
    (target) =>
      html`<tr><th dir="auto">${target.target}</th><td>${flakeWords(target)}</td>${cells(target.pass_at)}${cells(target.pass_hat)}</tr>`,
  )}</tbody></table></div></section>`;
}

/** What changed against the baseline, with links to the rows. */
export function baseline(summary: RunSummary): Markup {
  const compared = summary.baseline;
  if (compared === null) return html``;
  const figures: [string, string][] = [
    ['Rows in both', formatCount(compared.same)],
    ['New rows', formatCount(compared.new)],
  ];
  const rate = compared.delta === null ? 'unknown' : formatPoints(compared.delta);
  figures.push(['Pass rate', `${rate} (was ${formatPercent(compared.pass_rate)})`]);
  if (compared.mean_delta !== null) {
    const was = compared.score === null ? '' : ` (was ${formatScore(compared.score)})`;
    figures.push(['Score', `${formatDelta(compared.mean_delta)}${was}`]);
  }
  if (compared.delta_same !== null) {
    const ci =
      compared.ci95 === null ? '' : `, 95% CI ${formatPoints(compared.ci95[0])} to ${formatPoints(compared.ci95[1])}`;
    figures.push(['Same rows only', `${formatPoints(compared.delta_same)}${ci}`]);
  }
  if (compared.p_value !== null) figures.push(['p (McNemar)', compared.p_value.toPrecision(2)]);
  const { confirmation } = compared;
  if (confirmation !== undefined) figures.push(['Tried again', confirmedWords(confirmation)]);
  const groups = baselineGroups(compared).filter((group) => group.rowIds.length > 0);
  return html`<section class="card"><h2>Against the baseline <code>${compared.run_id}</code></h2>
<dl class="facts small">${figures.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${compared.differences.length > 0 ? html`<ul class="notices"><li>The set-up differs in ${compared.differences.join(', ')}: compare with care.</li></ul>` : null}
${groups.length === 0 ? html`<p class="quiet">No row changed its verdict.</p>` : null}
${groups.map((group) => {
  const removed = group.name === 'removed';
  const ids = group.rowIds.slice(0, MOST_IDS).map((id) => html`<li>${removed ? idText(id) : rowLink(id)}</li>`);
  const more = group.rowIds.length - MOST_IDS;
  const lost =
    removed && compared.removed_passed.length > 0
      ? ` · ${formatCount(compared.removed_passed.length)} of them passed`
      : '';
  return html`<details class="group ${group.name === 'regressed' ? 'bad' : ''}" ${group.name === 'regressed' || group.name === 'fixed' ? html`open` : null}><summary><b>${formatCount(group.rowIds.length)} ${group.name}</b> <span class="quiet">${group.about}${lost}</span></summary><ul class="ids">${ids}${more > 0 ? html`<li class="quiet">… and ${formatCount(more)} more in summary.json</li>` : null}</ul></details>`;
})}</section>`;
}

/** Pass rate and score of the rows that carry each tag. */
export function tags(summary: RunSummary): Markup {
  const all = Object.entries(summary.tags);
  if (all.length === 0) return html``;
  // Worst first: a tag is looked up to find where the trouble is.
  const share = (tag: { passed: number; counted: number }) => (tag.counted > 0 ? tag.passed / tag.counted : 2);
  const sorted = all.sort(([a, x], [b, y]) => share(x) - share(y) || y.rows - x.rows || (a < b ? -1 : 1));
  const lines = sorted.slice(0, MOST_TAGS).map(([name, tag]) => {
    const counted = tag.counted > 0;
    const rate = tag.passed / tag.counted;
    const label = counted ? `${name}: ${formatPercent(rate)} passed` : `${name}: no row counts`;
    const score = tag.score === null ? '' : `score ${formatScore(tag.score)} · `;
    return html`<div class="metric"><h3 dir="auto">${name}</h3>${
      counted
        ? bar({ value: rate, mark: null, interval: null, tone: 'plain', label })
        : html`<p class="quiet none">no row counts</p>`
    }<p class="num">${counted ? formatPercent(rate) : '–'}</p><p class="quiet">${score}${formatCount(tag.passed)} of ${countOf(tag.counted, 'row')} passed</p></div>`;
  });
  const more = all.length - MOST_TAGS;
  return html`<section class="card"><details ${all.length <= 12 ? html`open` : null}><summary><h2>By tag</h2></summary><div class="metrics">${lines}</div>${
    more > 0 ? html`<p class="quiet">… and ${formatCount(more)} more in summary.json</p>` : null
  }</details></section>`;
}

function rowLink(id: string): Markup {
  return html`<a href="#row=${encodeURIComponent(id.toWellFormed())}">${idText(id)}</a>`;
}

function idText(id: string): string {
  return id.length > 80 ? `${id.slice(0, 79)}…` : id;
}
