import type { RunCounters } from '../../core/schemas/registry.ts';
import type { RowResult } from '../../core/schemas/result.ts';

export const NO_COUNTERS: RunCounters = {
  done: 0,
  scored: 0,
  target_error: 0,
  judge_error: 0,
  skipped: 0,
  cost_usd: 0,
  late: 0,
};

/** What one part of results contributes to its run's counters. */
export function countersOf(results: readonly RowResult[]): RunCounters {
  const counters = { ...NO_COUNTERS };
  for (const result of results) {
    counters.done += 1;
    counters[result.status] += 1;
    counters.cost_usd += (result.cost_target_usd ?? 0) + (result.cost_judge_usd ?? 0);
  }
  return counters;
}
