import type { RowResult } from '../schemas/result.ts';
import { JUDGE_ERROR, type ResultColumns, SCORED, SKIPPED, TARGET_ERROR } from './result-columns.ts';

/**
 * Two lines for one result (a batch delivered twice, a row tried again after a stop): whether `other` replaces what
 * slot holds. What was evaluated beats what was not; of two evaluations the worse one stands, whichever came first.
 */
export function replaces(columns: ResultColumns, slot: number, other: ResultColumns): boolean {
  const order =
    rank(other, 0) - rank(columns, slot) ||
    byNumber(other.score.get(0), columns.score.get(slot)) ||
    byNumber(columns.latency.get(slot), other.latency.get(0)) ||
    byNumber(columns.targetUsd.get(slot), other.targetUsd.get(0)) ||
    byNumber(columns.judgeUsd.get(slot), other.judgeUsd.get(0)) ||
    bySkipCause(columns, slot, other) ||
    byMetrics(columns, slot, other) ||
    byTokens(columns, slot, other);
  return order < 0;
}

/** The other line's numbers in columns of one slot, to be compared. */
export function alone(result: RowResult, create: (slots: number) => ResultColumns): ResultColumns {
  const columns = create(1);
  columns.noteMetrics(result);
  columns.write(0, result);
  return columns;
}

/** Lower stands. An answer that could not be judged says less than one that was. */
function rank(columns: ResultColumns, slot: number): number {
  const status = columns.status[slot];
  if (status === TARGET_ERROR) return 0;
  if (status === SCORED) return columns.passed[slot] === 1 ? 2 : 1;
  if (status === JUDGE_ERROR) return 3;
  return status === SKIPPED ? 4 : 5;
}

function bySkipCause(columns: ResultColumns, slot: number, other: ResultColumns): number {
  return (other.skipCause[0] ?? 0) - (columns.skipCause[slot] ?? 0);
}

function byMetrics(columns: ResultColumns, slot: number, other: ResultColumns): number {
  for (const name of [...new Set([...columns.metrics.keys(), ...other.metrics.keys()])].sort()) {
    const order = byNumber(
      other.metrics.get(name)?.get(0) ?? Number.NaN,
      columns.metrics.get(name)?.get(slot) ?? Number.NaN,
    );
    if (order !== 0) return order;
  }
  return 0;
}

function byTokens(columns: ResultColumns, slot: number, other: ResultColumns): number {
  const pairs = [
    ...columns.targetTokens.map((column, i) => [column.get(slot), other.targetTokens[i]?.get(0) ?? Number.NaN]),
    ...columns.judgeTokens.map((column, i) => [column.get(slot), other.judgeTokens[i]?.get(0) ?? Number.NaN]),
  ];
  for (const [mine = 0, others = 0] of pairs) {
    const order = byNumber(mine, others);
    if (order !== 0) return order;
  }
  return 0;
}

/** a − b with what is missing below everything. */
function byNumber(a: number, b: number): number {
  const [left, right] = [Number.isNaN(a) ? -1 : a, Number.isNaN(b) ? -1 : b];
  return left - right;
}
