import { type CronField, DAY, HOUR, MINUTE, MONTH, WEEKDAY } from './cron-field.ts';
import type { Cron } from './parse-cron.ts';

/**
 * The same schedule in EventBridge's words: six fields with a year, `?` for the day that is not asked for, days of the week by
 * name (their numbers begin with 1 there). At most 256 characters for any schedule that was read.
 */
export function toEventBridgeCron({ minutes, hours, days, months, weekdays }: Cron): string {
  const anyWeekday = weekdays.length === 7;
  const fields = [
    written(minutes, MINUTE),
    written(hours, HOUR),
    anyWeekday ? written(days, DAY) : '?',
    written(months, MONTH),
    anyWeekday ? '?' : weekdays.map((weekday) => WEEKDAY.names[weekday]).join(','),
    '*',
  ];
  return `cron(${fields.join(' ')})`;
}

/** Lists and ranges alone: steps mean other things in other dialects. */
function written(values: readonly number[], { min, max }: CronField): string {
  if (values.length === max - min + 1) return '*';
  const runs: [first: number, last: number][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run !== undefined && value === run[1] + 1) run[1] = value;
    else runs.push([value, value]);
  }
  return runs.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(',');
}
