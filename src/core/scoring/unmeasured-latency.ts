import type { Fault } from '../errors.ts';
import type { EvalConfig } from '../schemas/eval.ts';

const FIX = 'leave it out, or add a target that is asked';

/**
 * A need for times that nobody measures: recorded answers have none. Found before the run, since it would leave the rows
 * unscored and the limit without a value. Scorers named latency are held to the same by their own check.
 */
export function unmeasuredLatency(config: EvalConfig): readonly Fault[] {
  const recorded = config.targets.filter((target) => target.type === 'recorded').map((target) => target.id);
  const all = recorded.length === config.targets.length;
  if (recorded.length === 0) return [];
  const why = `target ${recorded.join(', ')} has recorded answers, whose time is not known`;
  const faults: Fault[] = [];
  if (config.metrics.includes('latency') && (all || isAllThereIs(config))) {
    faults.push({ field: 'metrics', message: `latency cannot be scored: ${why}`, fix: FIX });
  }
  if (all && config.thresholds.max_p95_latency_ms != null) {
    const message = `max_p95_latency_ms has nothing to hold against: ${why}`;
    faults.push({ field: 'thresholds.max_p95_latency_ms', message, fix: FIX });
  }
  return faults;
}

/** Rows of the recorded target would be left with no score at all. */
function isAllThereIs({ type, metrics, scorers }: EvalConfig): boolean {
  return type === 'metrics' && scorers.length === 0 && metrics.every((metric) => metric === 'latency');
}
