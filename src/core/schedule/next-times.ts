import type { Cron } from './parse-cron.ts';
import { ZonedClock } from './time-zone.ts';

const DAY_MS = 86_400_000;
/** No clocks are set back by more at once; what they showed longer ago does not come again. */
const LONGEST_SET_BACK_MS = 3 * 3_600_000;
/** February 29 is missing from 2096 to 2104; a time that the clocks skip may cost one more year. */
const LONGEST_SEARCH_DAYS = 366 * 13;

/**
 * The next times after `afterMs` at which a schedule fires, as EventBridge Scheduler has it: a time that the clocks skip in spring does
 * not fire, one that they show twice in autumn fires the first time only. Fewer than `count` where the schedule ends (it may never fire).
 */
export function nextTimes(cron: Cron, timeZone: string, afterMs: number, count: number): readonly number[] {
  const clock = new ZonedClock(timeZone);
  const found: number[] = [];
  if (count === 0) return found;
  for (const wallMs of wallTimes(cron, clock.wallMs(afterMs))) {
    // In the order of the clocks they are in the order of time, since of two the first is taken.
    const instant = clock.instantOf(wallMs);
    if (instant === null || instant <= afterMs) continue;
    found.push(instant);
    if (found.length === count) break;
  }
  return found;
}

/** Times that the schedule names, as its clocks show them from about `nowWallMs` on. */
function* wallTimes(cron: Cron, nowWallMs: number): Generator<number> {
  const today = Math.floor(nowWallMs / DAY_MS) * DAY_MS;
  for (let ahead = 0; ahead < LONGEST_SEARCH_DAYS; ahead += 1) {
    const midnight = today + ahead * DAY_MS;
    if (!isDayOf(cron, new Date(midnight))) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const wallMs = midnight + (hour * 60 + minute) * 60_000;
        if (wallMs > nowWallMs - LONGEST_SET_BACK_MS) yield wallMs;
      }
    }
  }
}

function isDayOf({ days, months, weekdays }: Cron, date: Date): boolean {
  return (
    months.includes(date.getUTCMonth() + 1) && days.includes(date.getUTCDate()) && weekdays.includes(date.getUTCDay())
  );
}
