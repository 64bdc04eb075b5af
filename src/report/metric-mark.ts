import type { RunConfig } from '../core/schemas/run.ts';
import type { Policy } from '../core/schemas/thresholds.ts';

/** The line on a metric's bar. `floor` gates the run by the metric's mean; the others are about single rows. */
export interface MetricMark {
  readonly kind: 'floor' | 'row minimum' | 'row mark';
  readonly value: number;
}

export interface MarkSources {
  readonly policy: Policy;
  readonly thresholds?: RunConfig['eval']['thresholds'];
}

/** A mean below the line is worth red. A row mark is about a row's score over all its metrics: no metric breaks it alone. */
export function isBelow(mean: number, mark: MetricMark | null): boolean {
  return mark !== null && mark.kind !== 'row mark' && mean < mark.value - 1e-9;
}

/** What a metric is held against; null when nothing is. */
export function metricMark(name: string, { policy, thresholds = {} }: MarkSources): MetricMark | null {
  // A metric may be called anything, `constructor` too.
  const floor = Object.hasOwn(policy.metric_floors, name) ? policy.metric_floors[name] : undefined;
  if (floor !== undefined) return { kind: 'floor', value: floor };
  const minima = new Map<string, unknown>(Object.entries({ ...thresholds, ...policy.row_gate }));
  const minimum = minima.get(`min_${name}`);
  // The run's own minimum is no minimum of a metric that happens to be called score.
  if (name !== 'score' && typeof minimum === 'number') return { kind: 'row minimum', value: minimum };
  return policy.row_mark === null ? null : { kind: 'row mark', value: policy.row_mark };
}
