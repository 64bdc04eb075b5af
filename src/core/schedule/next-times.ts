import type { Cron } from './parse-cron.ts';
import { ZonedClock } from './time-zone.ts';

const DAY_MS = 86_400_000;
/** February 29 is missing from 2096 to 2104; a time that the clocks skip may cost one more year. */
const LONGEST_SEARCH_DAYS = 366 * 13;

/**
 * The next times after `afterMs` at which a schedule fires, as EventBridge Scheduler has it: a time that the clocks skip in spring does
 * not fire, one that they show twice in autumn fires the first time only. Fewer than `count` where the schedule ends (it may never fire).
 */
export function nextTimes(cron: Cron, timeZone: string, afterMs: number, count: number): readonly number[] {
  const clock = new ZonedClock(timeZone);
  const found: number[] = [];
  const today = Math.floor(clock.wallMs(afterMs) / DAY_MS) * DAY_MS;
  for (let ahead = 0; ahead < LONGEST_SEARCH_DAYS && found.length < count; ahead += 1) {
    const date = new Date(today + ahead * DAY_MS);
    if (!isDayOf(cron, date)) continue;
    for (const instant of instantsOn(date, cron, clock)) {
      if (instant > afterMs && found.length < count) found.push(instant);
    }
  }
  return found;
}

/** The next time after `afterMs`; null where it never comes. */
export function nextTime(cron: Cron, timeZone: string, afterMs: number): number | null {
  return nextTimes(cron, timeZone, afterMs, 1)[0] ?? null;
}

function isDayOf({ days, months, weekdays }: Cron, date: Date): boolean {
  return (
    months.includes(date.getUTCMonth() + 1) && days.includes(date.getUTCDate()) && weekdays.includes(date.getUTCDay())
  );
}

function instantsOn(date: Date, { hours, minutes }: Cron, clock: ZonedClock): readonly number[] {
  const day = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  const instants = hours.flatMap((hour) =>
    minutes.flatMap((minute) => clock.instantOf({ ...day, hour, minute }) ?? []),
  );
  return instants.sort((a, b) => a - b);
}
