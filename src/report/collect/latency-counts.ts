import { latencyKind, NO_LATENCY } from '../../core/aggregate/latency.ts';
import type { RowResult } from '../../core/schemas/result.ts';

export const BINS_PER_DECADE = 20;

/** How many latencies fall into each bin; bin n covers 10^(n/20) to 10^((n+1)/20) ms. Below a millisecond counts as one. */
export class LatencyCounts {
  readonly #bins = new Map<number, number>();
  #total = 0;

  add(result: RowResult): void {
    if (result.latency_ms === null || result.phase !== 'main' || latencyKind(result) === NO_LATENCY) return;
    const bin = Math.floor(Math.log10(Math.max(1, result.latency_ms)) * BINS_PER_DECADE);
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + 1);
    this.#total += 1;
  }

  get total(): number {
    return this.#total;
  }

  /** Lowest first. */
  bins(): readonly (readonly [bin: number, count: number])[] {
    return [...this.#bins].sort(([a], [b]) => a - b);
  }
}
