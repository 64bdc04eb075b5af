import type { RowResult } from '../schemas/result.ts';
import type { LatencySummary } from '../schemas/summary.ts';
import { percentile } from '../statistics/percentile.ts';

/** Causes that follow a 2xx answer: the request itself was served, and its time counts. */
const AFTER_ANSWER: ReadonlySet<string> = new Set([
  'path-not-found',
  'not-json',
  'too-large',
  'max-tokens',
  'refused',
  'crashed',
]);

export const NO_LATENCY = 0;
export const ANSWERED = 1;
export const TIMED_OUT = 2;

/** Whether a result's time enters the percentiles: answered requests, and timeouts at their limit (SCORING §7). */
export function latencyKind({ status, cause, latency_ms }: Pick<RowResult, 'status' | 'cause' | 'latency_ms'>): number {
  if (latency_ms === null || status === 'skipped') return NO_LATENCY;
  if (status !== 'target_error') return ANSWERED;
  if (cause === 'timeout') return TIMED_OUT;
  return AFTER_ANSWER.has(cause ?? '') ? ANSWERED : NO_LATENCY;
}

/** Percentiles of the times, which it sorts in place. */
export function summarizeLatency(times: Float64Array, timeouts: number): LatencySummary {
  const sorted = times.sort();
  return { p50_ms: percentile(sorted, 50), p95_ms: percentile(sorted, 95), n: sorted.length, timeouts };
}
