import { nextRuns } from '../core/schedule/next-run.ts';
import { ZonedClock } from '../core/schedule/time-zone.ts';
import type { EvalFile } from '../core/schemas/eval.ts';

/** When a deployed eval starts by itself, by the clocks of its own time zone; null for one that does not. */
export function scheduleText(
  { schedule, active }: Pick<EvalFile, 'schedule' | 'active'>,
  nowMs: number,
  count: number,
): string | null {
  if (schedule === undefined) return null;
  const starts = `starts at ${schedule.cron} (${schedule.timezone})`;
  if (!active) return `${starts} once it is active`;
  const clock = new ZonedClock(schedule.timezone);
  const times = nextRuns({ schedule, active }, nowMs, count).map((time) => wallTime(clock, Date.parse(time)));
  return `${starts}, next ${times.join(', ')}`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function wallTime(clock: ZonedClock, ms: number): string {
  const wall = new Date(clock.wallMs(ms));
  return `${WEEKDAYS[wall.getUTCDay()]} ${wall.toISOString().slice(0, 16).replace('T', ' ')}`;
}
