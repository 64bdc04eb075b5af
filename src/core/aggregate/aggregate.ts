import { SKIP_CAUSES } from '../schemas/result.ts';
import type { CostSummary, Counts, LatencySummary, RepeatSummary, RunSummary } from '../schemas/summary.ts';
import type { Interval } from '../statistics/interval.ts';
import { sortedConfirm } from './confirm-trials.ts';
import type { ResultFold } from './fold.ts';
import { summarizeLatency, TIMED_OUT } from './latency.ts';
import { type MetricStatistics, summarizeMetrics } from './metric-statistics.ts';
import { summarizeRepeats } from './repeats.ts';
import { JUDGE_ERROR, MISSING, SCORED, SKIPPED, TARGET_ERROR } from './result-columns.ts';
import { type RowStatistics, summarizeRows } from './row-statistics.ts';
import { type ReducedRows, reduceRows } from './rows.ts';
import { targetCost } from './spending.ts';
import { summarizeTags } from './tags.ts';
import { totalCost } from './total-cost.ts';

export interface TargetFigures extends RowStatistics {
  readonly id: string;
  readonly model: string | null;
  readonly counts: Omit<Counts, 'rows' | 'flaky'>;
  readonly metrics: MetricStatistics['overall'];
  readonly latency: LatencySummary;
  readonly cost: { readonly status: 'metered' | 'not_metered' | 'unknown'; readonly usd: number | null };
}

/** Every figure of a run that follows from its results alone. */
export interface Aggregate extends RowStatistics {
  readonly counts: Counts;
  /** Manifest results that nobody wrote; among the skipped. */
  readonly lost: number;
  /** Results that count ÷ results of the manifest; null when the manifest is empty. */
  readonly coverage: number | null;
  /** Rows of which at least one result was tried. */
  readonly startedRows: number;
  /** Rows by how they ended, once trials and targets are reduced. */
  readonly rowsWithoutAnswer: number;
  readonly rowsNotJudged: number;
  readonly skippedByCause: Readonly<Record<string, number>>;
  readonly metrics: MetricStatistics['overall'];
  readonly weakest: MetricStatistics['weakest'];
  readonly targets: readonly TargetFigures[];
  readonly latency: LatencySummary;
  readonly cost: CostSummary;
  readonly tags: RunSummary['tags'];
  /** One a target; empty with one trial a row. */
  readonly repeats: readonly RepeatSummary[];
  readonly reduced: ReducedRows;
  readonly passRateCi95: Interval | null;
}

/** All figures, once every line is in the fold. `judges` names the judges where their cost is not metered. */
export function aggregate(fold: ResultFold, judges: readonly string[]): Aggregate {
  const { manifest } = fold;
  const clusters = fold.isClustered ? fold.clusterOf : null;
  const reduced = reduceRows(fold);
  const rows = summarizeRows(reduced.rows, clusters);
  const metrics = summarizeMetrics(fold, reduced);
  const all = manifest.targets.map((_, target) => target);
  const results = countResults(fold, all);
  const flaky = reduced.flaky.reduce((sum, flag) => sum + flag, 0);
  const lost = fold.columns.status.reduce((sum, status) => sum + (status === MISSING ? 1 : 0), 0);

  const targets = manifest.targets.map((id, target): TargetFigures => {
    const statistics =
      target === 0 && all.length === 1 ? rows : summarizeRows(reduced.byTarget[target] ?? reduced.rows, clusters);
    return {
      ...statistics,
      id,
      model: fold.targetModels.get(target) ?? null,
      counts: {
        passed: statistics.passed,
        failed: statistics.counted - statistics.passed,
        ...countResults(fold, [target]),
      },
      metrics: metrics.byTarget[target] ?? {},
      latency: latencyOf(fold, [target]),
      cost: targetCost(fold.spending, fold.columns, target, all.length, manifest.trials, sortedConfirm(fold)),
    };
  });
  return {
    ...rows,
    counts: { rows: manifest.rows, passed: rows.passed, failed: rows.counted - rows.passed, flaky, ...results },
    lost,
    coverage: results.results === 0 ? null : (results.scored + results.target_error) / results.results,
    startedRows: countStarted(fold),
    rowsWithoutAnswer: reduced.rows.countStatus('target_error'),
    rowsNotJudged: reduced.rows.countStatus('judge_error'),
    skippedByCause: skippedByCause(fold, lost),
    metrics: metrics.overall,
    weakest: metrics.weakest,
    targets,
    latency: all.length === 1 ? (targets[0]?.latency ?? latencyOf(fold, all)) : latencyOf(fold, all),
    cost: totalCost(fold, judges),
    tags: summarizeTags(fold, reduced.rows),
    repeats: summarizeRepeats(fold),
    reduced,
  };
}

type ResultCounts = Pick<Counts, 'results' | 'scored' | 'target_error' | 'judge_error' | 'skipped'>;

function countResults(fold: ResultFold, targets: readonly number[]): ResultCounts {
  const byCode = new Uint32Array(5);
  forEachSlot(fold, targets, (slot) => {
    const code = fold.columns.status[slot] ?? MISSING;
    byCode[code] = (byCode[code] ?? 0) + 1;
  });
  const of = (code: number) => byCode[code] ?? 0;
  return {
    results: byCode.reduce((sum, count) => sum + count, 0),
    scored: of(SCORED),
    target_error: of(TARGET_ERROR),
    judge_error: of(JUDGE_ERROR),
    skipped: of(SKIPPED) + of(MISSING),
  };
}

function latencyOf(fold: ResultFold, targets: readonly number[]): LatencySummary {
  const { columns } = fold;
  let timed = 0;
  let timeouts = 0;
  forEachSlot(fold, targets, (slot) => {
    if (columns.latencyKind[slot] !== 0) timed += 1;
    if (columns.latencyKind[slot] === TIMED_OUT) timeouts += 1;
  });
  const times = new Float64Array(timed);
  let n = 0;
  forEachSlot(fold, targets, (slot) => {
    if (columns.latencyKind[slot] === 0) return;
    times[n] = columns.latency.get(slot);
    n += 1;
  });
  return summarizeLatency(times, timeouts);
}

function skippedByCause(fold: ResultFold, lost: number): Record<string, number> {
  const counts = new Map<string, number>();
  for (let slot = 0; slot < fold.columns.status.length; slot += 1) {
    if (fold.columns.status[slot] !== SKIPPED) continue;
    const cause = SKIP_CAUSES[(fold.columns.skipCause[slot] ?? 0) - 1] ?? 'stopped';
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  if (lost > 0) counts.set('lost', (counts.get('lost') ?? 0) + lost);
  const known = SKIP_CAUSES.filter((cause) => counts.has(cause));
  return Object.fromEntries(known.map((cause) => [cause, counts.get(cause) ?? 0]));
}

function countStarted(fold: ResultFold): number {
  const perRow = fold.manifest.targets.length * fold.manifest.trials;
  const { status } = fold.columns;
  let started = 0;
  for (let first = 0; first < status.length; first += perRow) {
    for (let slot = first; slot < first + perRow; slot += 1) {
      if (status[slot] === MISSING || status[slot] === SKIPPED) continue;
      started += 1;
      break;
    }
  }
  return started;
}

function forEachSlot(fold: ResultFold, targets: readonly number[], visit: (slot: number) => void): void {
  const { rows, targets: ids, trials } = fold.manifest;
  for (let row = 0; row < rows; row += 1) {
    for (const target of targets) {
      const first = (row * ids.length + target) * trials;
      for (let slot = first; slot < first + trials; slot += 1) visit(slot);
    }
  }
}
