import type { RunConfig } from '../../../core/schemas/run.ts';
import type { MetricSummary, RunSummary } from '../../../core/schemas/summary.ts';
import type { ScoreCounts } from '../../collect/score-counts.ts';
import { formatCount, formatDelta, formatScore, scoreAgainst, shownInterval } from '../../format.ts';
import { isBelow, type MetricMark, metricMark } from '../../metric-mark.ts';
import { bar } from '../charts/bar.ts';
import { distribution } from '../charts/distribution.ts';
import { html, type Markup } from '../markup.ts';
import { type Section, section } from '../section.ts';

/** A change of a mean that is more than rounding. */
const TOLERANCE = 5e-4;

/** A card a metric: mean against its mark and the baseline, and how its values are spread. */
export function metrics(
  summary: RunSummary,
  config: RunConfig,
  counts: ScoreCounts,
  baseline: RunSummary | null,
): Section | null {
  const sources = { policy: config.policy, thresholds: config.eval.thresholds };
  const cards = Object.entries(summary.metrics).map(([name, metric]) =>
    card(name, metric, metricMark(name, sources), counts.of(name) ?? null, baseline?.metrics[name]?.mean ?? null),
  );
  if (cards.length === 0) return null;
  const rowMark = config.policy.row_mark;
  const legend = html`<p class="legend"><span class="key mark"></span>${rowMark === null ? 'floor or minimum' : `floor, or the row mark ${scoreAgainst(rowMark, rowMark).limit}`}<span class="key ci"></span>95% confidence interval${
    baseline === null ? null : html`<span class="key former"></span>baseline`
  }<span class="key column"></span>how many results lie where, 0 to 1 (by the root of their number)</p>`;
  return section({ id: 'metrics', short: 'Metrics' }, html`<div class="panels">${cards}</div>${legend}`);
}

function card(
  name: string,
  metric: MetricSummary,
  mark: MetricMark | null,
  bins: readonly number[] | null,
  former: number | null,
): Markup {
  const n = `n ${formatCount(metric.n)}${metric.unscored > 0 ? `, ${formatCount(metric.unscored)} unscored` : ''}`;
  if (metric.mean === null) {
    return html`<div class="panel"><div class="top-line"><h3 dir="auto">${name}</h3><p class="num">–</p></div><p class="quiet">not scored · ${n}</p></div>`;
  }
  const shown = mark === null ? { value: formatScore(metric.mean), limit: '' } : scoreAgainst(metric.mean, mark.value);
  const below = isBelow(metric.mean, mark);
  const interval = shownInterval(metric.ci95);
  const ci = interval === null ? '' : ` · ${formatScore(interval[0])} to ${formatScore(interval[1])}`;
  // The row mark is the same for every metric: the legend says it once.
  const held = mark === null || mark.kind === 'row mark' ? '' : `${mark.kind} ${shown.limit} · `;
  const tone = below ? 'bad' : mark === null || mark.kind === 'row mark' ? 'plain' : 'good';
  const was = former === null ? '' : `, was ${formatScore(former)}`;
  const label = `${name}: ${shown.value}${mark === null ? '' : `, ${mark.kind} ${shown.limit}`}${was}`;
  // A floor is about the mean: no single row is below it or above.
  const rowLine = mark === null || mark.kind === 'floor' ? null : mark.value;
  return html`<div class="panel"><div class="top-line"><h3 dir="auto">${name}</h3><p class="num ${below ? 'bad' : ''}">${shown.value}</p></div>${change(metric.mean, former)}
${bar({ value: metric.mean, mark: mark?.value ?? null, interval, former, tone, label })}${bins === null ? null : distribution(name, bins, rowLine)}<p class="quiet">${held}${n}${ci}</p></div>
`;
}

function change(mean: number, former: number | null): Markup | null {
  if (former === null) return null;
  const by = mean - former;
  if (Math.abs(by) < TOLERANCE) return html`<p class="change">as in the baseline</p>`;
  return html`<p class="change ${by > 0 ? 'up' : 'down'}">${formatDelta(by)} from ${formatScore(former)}</p>`;
}
