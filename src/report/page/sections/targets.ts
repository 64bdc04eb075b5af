import { max } from 'd3-array';
import type { RunConfig } from '../../../core/schemas/run.ts';
import type { RunSummary } from '../../../core/schemas/summary.ts';
import { targetCostWords } from '../../describe.ts';
import { formatCount, formatMs, formatPercent, formatScore } from '../../format.ts';
import { metricMark } from '../../metric-mark.ts';
import { bar } from '../charts/bar.ts';
import { html, type Markup } from '../markup.ts';
import { type Section, scrolling, section } from '../section.ts';

type Target = RunSummary['targets'][number];

interface Panel {
  readonly name: string;
  readonly read: (target: Target) => number | null;
  readonly show: (value: number) => string;
  readonly most: number;
  readonly mark: number | null;
  /** Whether a value beyond the mark is worse; null: nothing is held against it. */
  readonly better: 'higher' | 'lower';
}

/** Each target apart: a table, and a small chart a metric with all targets on one scale. Nothing when there is one. */
export function targets(summary: RunSummary, config: RunConfig): Section | null {
  if (summary.targets.length < 2) return null;
  const body = html`${scrolling('Targets', table(summary, latencyLimit(config)))}<div class="panels small">${panelsOf(summary, config).map((panel) => multiple(panel, summary.targets))}</div>`;
  return section({ id: 'targets', short: 'Targets' }, body);
}

function table(summary: RunSummary, limitMs: number | null): Markup {
  const names = Object.keys(summary.metrics);
  const best = (of: (target: Target) => number | null) => max(summary.targets, (target) => of(target) ?? undefined);
  const cell = (value: number | null, show: (value: number) => string, top: number | undefined) =>
    html`<td class="${value !== null && value === top ? 'best' : ''}">${value === null ? '–' : show(value)}</td>`;
  return html`<table>
<thead><tr><th scope="col">Target</th><th scope="col">Score</th><th scope="col">Pass rate</th>${names.map((name) => html`<th scope="col" dir="auto">${name}</th>`)}<th scope="col">p50</th><th scope="col">p95</th><th scope="col">Errors</th><th scope="col">Cost</th></tr></thead>
<tbody>${summary.targets.map(
    (target) =>
      html`<tr><th scope="row" dir="auto">${target.id}<small>${target.model ?? target.type}</small></th>${cell(
        target.score,
        formatScore,
        best(({ score }) => score),
      )}${cell(
        target.pass_rate,
        formatPercent,
        best(({ pass_rate }) => pass_rate),
      )}${names.map((name) =>
        cell(
          target.metrics[name]?.mean ?? null,
          formatScore,
          best(({ metrics }) => metrics[name]?.mean ?? null),
        ),
      )}${cell(
        target.latency.p50_ms,
        formatMs,
        undefined,
      )}<td class="${isOver(target.latency.p95_ms, limitMs) ? 'bad' : ''}">${target.latency.p95_ms === null ? '–' : formatMs(target.latency.p95_ms)}</td><td>${formatCount(
        target.counts.target_error + target.counts.judge_error,
      )}</td><td>${targetCostWords(target.cost)}</td></tr>`,
  )}</tbody></table>`;
}

const isOver = (ms: number | null, limitMs: number | null): boolean =>
  ms !== null && limitMs !== null && ms > limitMs + 1e-9;
const latencyLimit = ({ policy, eval: { latency_budget_ms: budget } }: RunConfig): number | null =>
  policy.max_p95_latency_ms ?? budget ?? null;

function panelsOf(summary: RunSummary, config: RunConfig): Panel[] {
  const sources = { policy: config.policy, thresholds: config.eval.thresholds };
  const limit = latencyLimit(config);
  const slowest = max(summary.targets, ({ latency }) => latency.p95_ms ?? undefined) ?? 0;
  const metricPanels = Object.keys(summary.metrics).map((name): Panel => {
    const mark = metricMark(name, sources);
    const read = (target: Target) => target.metrics[name]?.mean ?? null;
    return {
      name,
      read,
      show: formatScore,
      most: 1,
      mark: mark?.kind === 'row mark' ? null : (mark?.value ?? null),
      better: 'higher',
    };
  });
  const rate = (target: Target) => target.pass_rate;
  const p95 = (target: Target) => target.latency.p95_ms;
  return [
    { name: 'Pass rate', read: rate, show: formatPercent, most: 1, mark: config.policy.pass_rate, better: 'higher' },
    {
      name: 'Latency p95',
      read: p95,
      show: formatMs,
      most: Math.max(slowest, limit ?? 0) * 1.02,
      mark: limit,
      better: 'lower',
    },
    ...metricPanels,
  ];
}

function multiple({ name, read, show, most, mark, better }: Panel, all: readonly Target[]): Markup {
  const lines = all.map((target) => {
    const value = read(target);
    if (value === null || most <= 0)
      return html`<li><span dir="auto">${target.id}</span><span class="quiet">–</span></li>`;
    const beyond = mark !== null && (better === 'higher' ? value < mark - 1e-9 : value > mark + 1e-9);
    const held = mark === null ? '' : `, ${better === 'higher' ? 'at least' : 'at most'} ${show(mark)}`;
    const chart = bar({
      value,
      most,
      mark,
      interval: null,
      tone: beyond ? 'bad' : 'plain',
      label: `${name} of ${target.id}: ${show(value)}${held}`,
    });
    return html`<li><span dir="auto">${target.id}</span>${chart}<span class="num ${beyond ? 'bad' : ''}">${show(value)}</span></li>`;
  });
  return html`<div class="panel multiple"><h3 dir="auto">${name}</h3><ul>${lines}</ul></div>`;
}
