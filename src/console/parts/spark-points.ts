import type { TrendPoint } from '../api/types.ts';

export interface SparkPoint {
  readonly run: Pick<TrendPoint, 'run_id' | 'status' | 'score'>;
  readonly x: number;
  /** Null: the run has no score. */
  readonly y: number | null;
}

export interface SparkBox {
  readonly width: number;
  readonly height: number;
  /** Kept free on all sides, for the marks. */
  readonly pad: number;
  /** Runs that the width is for: fewer of them stand at its right end. */
  readonly slots: number;
}

/** Smallest span of scores that the height shows: a change of a hundredth must not look like a fall. */
const LEAST_SPAN = 0.1;

/** Where the runs of a trend stand, oldest first. Scores share one scale, at least a tenth high, within 0..1. */
export function sparkPoints(newestFirst: readonly SparkPoint['run'][], box: SparkBox): SparkPoint[] {
  const runs = newestFirst.slice(0, box.slots).reverse();
  const scores = runs.flatMap(({ score }) => (score === null ? [] : [score]));
  const { low, high } = scaleOf(scores);
  const step = box.slots > 1 ? (box.width - 2 * box.pad) / (box.slots - 1) : 0;
  const first = box.slots - runs.length;
  return runs.map((run, at) => ({
    run,
    x: box.pad + (first + at) * step,
    y:
      run.score === null
        ? null
        : box.height - box.pad - ((run.score - low) / (high - low)) * (box.height - 2 * box.pad),
  }));
}

/** Path through the points that have a score; a gap where one has none. */
export function sparkPath(points: readonly SparkPoint[]): string {
  let isDown = false;
  const steps: string[] = [];
  for (const { x, y } of points) {
    if (y === null) {
      isDown = false;
      continue;
    }
    steps.push(`${isDown ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`);
    isDown = true;
  }
  return steps.join('');
}

export function scaleOf(scores: readonly number[]): { readonly low: number; readonly high: number } {
  if (scores.length === 0) return { low: 0, high: 1 };
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  if (most - least >= LEAST_SPAN) return { low: least, high: most };
  const low = Math.min(1 - LEAST_SPAN, Math.max(0, (least + most) / 2 - LEAST_SPAN / 2));
  return { low, high: low + LEAST_SPAN };
}
