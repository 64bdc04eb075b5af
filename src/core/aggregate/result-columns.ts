import { RESULT_STATUSES, type ResultStatus, type RowResult, SKIP_CAUSES, type SkipCause } from '../schemas/result.ts';
import { NumberColumn } from './column.ts';
import { latencyKind } from './latency.ts';

/** How a status is kept in a byte; 0 is a result that nobody has seen. */
export const MISSING = 0;
export const SCORED = 1;
export const TARGET_ERROR = 2;
export const JUDGE_ERROR = 3;
export const SKIPPED = 4;

/** The status behind a byte. A result that was never seen is skipped: lost. */
export function statusOf(code: number): ResultStatus {
  return code === MISSING ? 'skipped' : (RESULT_STATUSES[code - 1] ?? 'skipped');
}

/** What is known of a metric besides its values. */
export interface MetricFlags {
  inRowScore: boolean;
  higherIsBetter: boolean;
}

export const TOKEN_KINDS = ['input', 'output', 'cache_read', 'cache_write'] as const;

/**
 * The numbers of all results, a column each, so that sums run in manifest order and do not depend on the order in
 * which results arrived. Slot = (row × targets + target) × trials + trial.
 */
export class ResultColumns {
  readonly status: Uint8Array;
  readonly passed: Uint8Array;
  /** Position in SKIP_CAUSES + 1. */
  readonly skipCause: Uint8Array;
  /** 1 = answered, 2 = timed out; 0 = does not enter latencies. */
  readonly latencyKind: Uint8Array;
  /** 1 = a verdict of it was kept from an earlier run. */
  readonly cached: Uint8Array;
  readonly score: NumberColumn;
  readonly latency: NumberColumn;
  readonly targetUsd: NumberColumn;
  readonly judgeUsd: NumberColumn;
  readonly targetTokens: readonly NumberColumn[];
  readonly judgeTokens: readonly NumberColumn[];
  readonly metrics = new Map<string, NumberColumn>();
  readonly metricFlags = new Map<string, MetricFlags>();
  private readonly slots: number;

  constructor(slots: number) {
    this.slots = slots;
    this.status = new Uint8Array(slots);
    this.passed = new Uint8Array(slots);
    this.skipCause = new Uint8Array(slots);
    this.latencyKind = new Uint8Array(slots);
    this.cached = new Uint8Array(slots);
    const column = () => new NumberColumn(slots);
    this.score = column();
    this.latency = column();
    this.targetUsd = column();
    this.judgeUsd = column();
    this.targetTokens = TOKEN_KINDS.map(column);
    this.judgeTokens = TOKEN_KINDS.map(column);
  }

  write(slot: number, result: RowResult): void {
    const { spend, status } = result;
    if (this.status[slot] !== MISSING) for (const column of this.metrics.values()) column.set(slot, null);
    this.status[slot] = RESULT_STATUSES.indexOf(status) + 1;
    this.passed[slot] = result.passed ? 1 : 0;
    this.skipCause[slot] = status === 'skipped' ? SKIP_CAUSES.indexOf(result.cause as SkipCause) + 1 : 0;
    this.latencyKind[slot] = latencyKind(result);
    this.score.set(slot, status === 'scored' ? result.score : null);
    this.latency.set(slot, result.latency_ms);
    this.targetUsd.set(slot, spend.target.status === 'metered' ? spend.target.usd : null);
    this.judgeUsd.set(slot, spend.judge.status === 'metered' ? spend.judge.usd : null);
    for (let i = 0; i < TOKEN_KINDS.length; i += 1) {
      const kind = TOKEN_KINDS[i] ?? 'input';
      this.targetTokens[i]?.set(slot, spend.target_usage?.[kind] || null);
      this.judgeTokens[i]?.set(slot, spend.judge_usage?.[kind] || null);
    }
    this.cached[slot] = hasCached(result) ? 1 : 0;
    // A metric's mean is over scored results: half-judged rows do not enter (SCORING §1).
    if (status !== 'scored') return;
    for (const name in result.scores) {
      const score = result.scores[name];
      if (score?.status === 'scored') this.metrics.get(name)?.set(slot, score.value);
    }
  }

  /** Makes the metrics of a result known, whether or not the result will stand. */
  noteMetrics(result: RowResult): void {
    for (const name in result.scores) {
      const score = result.scores[name];
      let flags = this.metricFlags.get(name);
      if (flags === undefined) {
        flags = { inRowScore: true, higherIsBetter: true };
        this.metricFlags.set(name, flags);
        this.metrics.set(name, new NumberColumn(this.slots));
      }
      if (score?.in_row_score === false) flags.inRowScore = false;
      if (score?.higher_is_better === false) flags.higherIsBetter = false;
    }
  }
}

/** Whether a verdict of the result was kept from an earlier run. */
export function hasCached({ scores }: RowResult): boolean {
  for (const name in scores) if (scores[name]?.cached === true) return true;
  return false;
}
