import type { EvalFile } from '../schemas/eval.ts';
import { nextTimes } from './next-times.ts';
import { parseCron } from './parse-cron.ts';

/** Next times at which a deployed eval starts by itself, ISO in UTC; none where it has no schedule or is not active. */
export function nextRuns(
  { schedule, active }: Pick<EvalFile, 'schedule' | 'active'>,
  afterMs: number,
  count: number,
): readonly string[] {
  if (schedule === undefined || !active) return [];
  const times = nextTimes(parseCron(schedule.cron), schedule.timezone, afterMs, count);
  return times.map((ms) => new Date(ms).toISOString());
}

/** The next of them; null where there is none. */
export function nextRunAt(config: Pick<EvalFile, 'schedule' | 'active'>, afterMs: number): string | null {
  return nextRuns(config, afterMs, 1)[0] ?? null;
}
