import type { RunConfig } from '../../../core/schemas/run.ts';
import type { RunSummary } from '../../../core/schemas/summary.ts';
import type { RunNotes } from '../../collect/run-notes.ts';
import { latencyNotes } from '../../describe.ts';
import { formatMs } from '../../format.ts';
import { binRange, latencyHistogram } from '../charts/latency-histogram.ts';
import { html, type Markup } from '../markup.ts';
import { type Section, section } from '../section.ts';

const MOST_TARGETS = 6;

/** How long answers took: all together, and each target apart on the same scale. */
export function latency(summary: RunSummary, config: RunConfig, notes: RunNotes): Section | null {
  if (notes.latency.total === 0) return null;
  const budgetMs = config.policy.max_p95_latency_ms ?? config.eval.latency_budget_ms ?? null;
  const { p50_ms, p95_ms } = summary.latency;
  const timed = summary.targets.filter(({ id }) => (notes.latencyByTarget.get(id)?.total ?? 0) > 0);
  const apart = timed.length > 1 ? timed.slice(0, MOST_TARGETS) : [];
  const marks = [
    p50_ms,
    p95_ms,
    budgetMs,
    ...apart.flatMap((target) => [target.latency.p50_ms, target.latency.p95_ms]),
  ];
  const range = binRange([notes.latency], marks);
  const chart = latencyHistogram({
    name: 'Latency',
    counts: notes.latency,
    latency: summary.latency,
    budgetMs,
    range,
    height: 220,
  });
  const charts = apart.map((target): Markup => {
    const counts = notes.latencyByTarget.get(target.id) ?? notes.latency;
    const name = `Latency of ${target.id}`;
    return html`<h3 dir="auto">${target.id}</h3>${latencyHistogram({ name, counts, latency: target.latency, budgetMs, range, height: 150 })}`;
  });
  const words = latencyNotes(summary.latency);
  const aside = [budgetMs === null ? '' : `budget ${formatMs(budgetMs)} for p95`, words].filter((part) => part !== '');
  const body = charts.length === 0 ? chart : html`${charts}`;
  return section(
    { id: 'latency', short: 'Latency' },
    body,
    aside.length === 0 ? null : html`<span class="quiet">${aside.join(' · ')}</span>`,
  );
}
