import { LEXICAL_WARNING } from '../core/aggregate/warnings.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import { countOf, formatCount, formatMs, formatPercent, formatUsd } from './format.ts';

/** What the gate says, in one word or two. */
export function verdictWords(summary: RunSummary): string {
  if (summary.status === 'cancelled') return 'cancelled';
  if (summary.gate === 'error') return 'could not decide';
  if (summary.decision.outcome === 'inconclusive') return `inconclusive, counted as ${summary.gate}`;
  return summary.gate === 'pass' ? 'passed' : 'failed';
}

export function judgeNames(summary: RunSummary): string {
  if (summary.judges.length === 0) return 'none: text checks only';
  return summary.judges.map((judge) => judge.model ?? judge.type).join(', ');
}

/** What a reader must know before believing a score; null when a language model judged. */
export function judgeNotice(summary: RunSummary): string | null {
  if (summary.judges.length === 0 || summary.judges.some((judge) => judge.is_model)) return null;
  if (summary.judges.some((judge) => judge.type === 'lexical')) {
    return 'No language model judged this run. The lexical judge counts words that answer and expectation share.';
  }
  return 'No language model judged this run. Its verdicts were recorded earlier.';
}

/** What else a reader should know; what the judge notice says already is left out. */
export function furtherWarnings(summary: RunSummary): string[] {
  return summary.warnings.filter((warning) => warning !== LEXICAL_WARNING || judgeNotice(summary) === null);
}

/** `4 of 4 planted answers ruled as they must be (cost $0.0002)`; null when none was planted. */
export function canaryWords({ canaries }: RunSummary): string | null {
  if (canaries === undefined) return null;
  const { asked, held, failed, wrong, cost } = canaries;
  const parts = [`${formatCount(held)} of ${countOf(asked, 'planted answer')} ruled as they must be`];
  if (wrong.length > 0) parts.push(`${formatCount(wrong.length)} wrongly`);
  if (failed > 0) parts.push(`${formatCount(failed)} without a verdict`);
  const spent = { metered: '', not_metered: 'not metered', unknown: 'cost unknown' }[cost.status];
  return `${parts.join(', ')} (${cost.status === 'metered' ? `cost ${formatUsd(cost.usd)}` : spent})`;
}

/** `12 of 40 results with kept verdicts, which cost nothing`; null where none are kept. */
export function cacheWords({ verdict_cache, counts }: RunSummary): string | null {
  if (verdict_cache === undefined) return null;
  const { results } = verdict_cache;
  return `${formatCount(results)} of ${countOf(counts.results, 'result')} with kept verdicts, which cost nothing`;
}

/** The run's cost; what is not metered or has no price is said in words, never as $0. */
export function costWords(cost: RunSummary['cost']): string {
  const apart = cost.not_metered.length > 0 ? `not metered: ${cost.not_metered.join(', ')}` : null;
  if (cost.unknown.length > 0 || cost.total_usd === null) {
    const models = cost.unknown.length > 0 ? ` (no price for ${cost.unknown.join(', ')})` : '';
    return [`unknown${models}`, apart].filter((part) => part !== null).join('; ');
  }
  if (apart !== null && cost.total_usd === 0) return apart;
  return [formatUsd(cost.total_usd), apart].filter((part) => part !== null).join('; ');
}

export function targetCostWords(cost: RunSummary['targets'][number]['cost']): string {
  if (cost.status === 'not_metered') return 'not metered';
  return cost.status === 'unknown' || cost.usd === null ? 'unknown' : formatUsd(cost.usd);
}

export function rowCostWords(spend: RowResult['spend']): string {
  const words = (cost: RowResult['spend']['target']) => {
    if (cost.status === 'metered') return formatUsd(cost.usd);
    return cost.status === 'unknown' ? `unknown (no price for ${cost.model})` : 'not metered';
  };
  return `target ${words(spend.target)} · judge ${words(spend.judge)}`;
}

/** `p50 812 ms · p95 2.1 s`, with what weakens it; null when nothing was timed. */
export function latencyWords(latency: RunSummary['latency']): string | null {
  if (latency.p50_ms === null || latency.p95_ms === null) return null;
  const notes = latencyNotes(latency);
  return `p50 ${formatMs(latency.p50_ms)} · p95 ${formatMs(latency.p95_ms)}${notes === '' ? '' : ` (${notes})`}`;
}

export function latencyNotes(latency: RunSummary['latency']): string {
  const notes: string[] = [];
  if (latency.n < 20) notes.push(`only ${countOf(latency.n, 'answer')} timed`);
  if (latency.timeouts > 0) notes.push(countOf(latency.timeouts, 'timeout'));
  return notes.join(', ');
}

/** How long the run took in ms; null when its times cannot be read. */
export function durationMs(summary: RunSummary): number | null {
  const duration = Date.parse(summary.finished_at) - Date.parse(summary.started_at);
  return Number.isFinite(duration) && duration >= 0 ? duration : null;
}

/** The groups of a baseline comparison that a reader looks for, worst first. Rows by id; counts only where no ids are kept. */
export function baselineGroups(
  baseline: NonNullable<RunSummary['baseline']>,
): { readonly name: string; readonly about: string; readonly rowIds: readonly string[]; readonly bad: boolean }[] {
  const { confirmation } = baseline;
  const tried = confirmation === undefined ? '' : ` (${confirmedWords(confirmation)})`;
  return [
    { name: 'regressed', about: `passed before, do not now${tried}`, rowIds: baseline.regressed, bad: true },
    {
      name: 'not confirmed',
      about: `of the regressed: ${confirmation?.why ?? ''}`,
      rowIds: confirmation?.not_confirmed ?? [],
      bad: true,
    },
    {
      name: 'flaky',
      about: 'passed before, failed first, passed when tried again',
      rowIds: confirmation?.flaky ?? [],
      bad: false,
    },
    { name: 'still failing', about: 'failed before and now', rowIds: baseline.still_failing, bad: true },
    { name: 'unknown', about: 'passed before, no verdict now', rowIds: baseline.unknown, bad: true },
    { name: 'fixed', about: 'failed before, pass now', rowIds: baseline.fixed, bad: false },
    { name: 'changed', about: 'input or expected differs; not compared', rowIds: baseline.changed, bad: false },
    { name: 'removed', about: 'not in this run', rowIds: baseline.removed, bad: false },
  ];
}

type Confirmed = NonNullable<NonNullable<RunSummary['baseline']>['confirmation']>;

/** `2 of 3 flips confirmed, 1 flaky; at most 3 further trials each`. */
export function confirmedWords({ flipped, trials, regressed, flaky, not_confirmed }: Confirmed): string {
  if (flipped === 0) return 'nothing flipped';
  const parts = [`${formatCount(regressed.length)} of ${countOf(flipped, 'flip')} confirmed`];
  if (flaky.length > 0) parts.push(`${formatCount(flaky.length)} flaky`);
  if (not_confirmed.length > 0) parts.push(`${formatCount(not_confirmed.length)} not confirmed`);
  return `${parts.join(', ')}; at most ${countOf(trials, 'further trial')} each`;
}

/** The ks that tell most: the first few, and all trials. */
export function shownTrials(repeats: Repeats): readonly number[] {
  const all = Array.from({ length: repeats.trials }, (_, at) => at + 1);
  return all.filter((k) => k <= 4 || k === repeats.trials);
}

type Repeats = NonNullable<RunSummary['repeats']>[number];

/** `3 of 30 rows flaky (10%)`, with what it rests on. */
export function flakeWords({ rows, flaky, flake_rate }: Repeats): string {
  if (flake_rate === null) return 'no row has a verdict for all its trials';
  return `${formatCount(flaky)} of ${countOf(rows, 'row')} flaky (${formatPercent(flake_rate)})`;
}

export function countsWords(counts: RunSummary['counts']): string {
  const parts = [`${formatCount(counts.passed)} of ${countOf(counts.rows, 'row')} passed`];
  if (counts.failed > 0) parts.push(`${formatCount(counts.failed)} failed`);
  if (counts.flaky > 0) parts.push(`${formatCount(counts.flaky)} flaky`);
  if (counts.target_error > 0) parts.push(countOf(counts.target_error, 'target error'));
  if (counts.judge_error > 0) parts.push(countOf(counts.judge_error, 'judge error'));
  if (counts.skipped > 0) parts.push(`${formatCount(counts.skipped)} skipped`);
  return parts.join(' · ');
}
