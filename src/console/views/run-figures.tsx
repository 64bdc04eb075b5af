import { costWords, countsWords, latencyNotes } from '../../report/describe.ts';
import {
  countOf,
  formatDelta,
  formatMs,
  formatPercent,
  formatPoints,
  formatScore,
  shownInterval,
} from '../../report/format.ts';
import type { Run } from '../api/types.ts';
import { Bar, Tile, Tiles } from '../parts/figures.tsx';
import { Words } from '../parts/text.tsx';

/** The figures that one looks for first; nothing before there are any. */
export function RunTiles({ run }: { readonly run: Run }) {
  const { counts, latency, cost, baseline } = run;
  if (counts === undefined || latency === undefined || cost === undefined) return null;
  const missed = (rule: string) =>
    run.decision?.reasons.some((reason) => reason.rule === rule && reason.outcome === 'fail');
  const change = (text: string | null) =>
    text === null ? null : <span class="change">{text} against the baseline</span>;
  return (
    <Tiles>
      <Tile
        name="Score"
        value={run.score === null ? 'not known' : formatScore(run.score)}
        tone={missed('min_score') ? 'bad' : undefined}
        detail={
          <>
            {between(run.score_ci95 ?? null, formatScore)}
            {change(baseline?.mean_delta == null ? null : formatDelta(baseline.mean_delta))}
          </>
        }
      />
      <Tile
        name="Pass rate"
        value={run.pass_rate === null ? 'not known' : formatPercent(run.pass_rate)}
        tone={missed('pass_rate') ? 'bad' : undefined}
        detail={
          <>
            {between(run.pass_rate_ci95 ?? null, formatPercent)}
            {change(baseline?.delta == null ? null : formatPoints(baseline.delta))}
          </>
        }
      />
      <Tile name="Rows" value={countOf(counts.rows, 'row').split(' ')[0]} detail={countsWords(counts)} />
      <Tile
        name="Latency p95"
        value={latency.p95_ms === null ? 'not measured' : formatMs(latency.p95_ms)}
        tone={missed('max_p95_latency_ms') ? 'bad' : undefined}
        detail={(latency.p50_ms === null ? [] : [`p50 ${formatMs(latency.p50_ms)}`, latencyNotes(latency)])
          .filter((part) => part !== '')
          .join(' · ')}
      />
      <Tile name="Cost" value={costShort(cost)} detail={<Words value={costWords(cost)} />} />
    </Tiles>
  );
}

function between(interval: readonly [number, number] | null, format: (value: number) => string): string {
  const shown = shownInterval(interval);
  return shown === null ? '' : `95% CI ${format(shown[0])} to ${format(shown[1])}`;
}

function costShort(cost: NonNullable<Run['cost']>): string {
  const words = costWords(cost);
  return words.startsWith('$')
    ? (words.split(';')[0] ?? words)
    : words.startsWith('unknown')
      ? 'unknown'
      : 'not metered';
}

/** Every metric's mean with its interval. */
export function Metrics({ run }: { readonly run: Run }) {
  const metrics = Object.entries(run.metrics ?? {});
  if (metrics.length === 0) return null;
  return (
    <section class="card" aria-label="Metrics">
      <h2>Metrics</h2>
      <table class="metrics">
        <thead class="sr">
          <tr>
            <th scope="col">Metric</th>
            <th scope="col">Bar</th>
            <th scope="col">Mean</th>
            <th scope="col">Interval and values</th>
          </tr>
        </thead>
        <tbody>
          {metrics.map(([name, { mean, n, unscored, ci95 }]) => (
            <tr key={name}>
              <th scope="row">
                <Words value={name} />
              </th>
              <td class="bar-cell">
                <Bar value={mean} interval={shownInterval(ci95)} />
              </td>
              <td class="num">{mean === null ? '–' : formatScore(mean)}</td>
              <td class="quiet">
                {[between(ci95, formatScore), countOf(n, 'value'), unscored > 0 ? `${unscored} unscored` : '']
                  .filter((part) => part !== '')
                  .join(' · ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
