import type { RowResult } from '../../core/schemas/result.ts';

/** Bins of a distribution; the last one holds 1 too. */
export const SCORE_BINS = 20;
const MOST_METRICS = 100;

/** How the values of each metric are spread over 0..1. */
export class ScoreCounts {
  readonly #bins = new Map<string, number[]>();

  add({ scores, phase }: RowResult): void {
    if (phase !== 'main') return;
    for (const [name, score] of Object.entries(scores)) {
      if (score.status !== 'scored') continue;
      const bins = this.#binsOf(name);
      const bin = Math.min(SCORE_BINS - 1, Math.floor(score.value * SCORE_BINS + 1e-9));
      if (bins !== undefined) bins[bin] = (bins[bin] ?? 0) + 1;
    }
  }

  /** Undefined where nothing was scored. */
  of(metric: string): readonly number[] | undefined {
    return this.#bins.get(metric);
  }

  #binsOf(name: string): number[] | undefined {
    const known = this.#bins.get(name);
    if (known !== undefined || this.#bins.size >= MOST_METRICS) return known;
    const bins = new Array<number>(SCORE_BINS).fill(0);
    this.#bins.set(name, bins);
    return bins;
  }
}
