/** What an expression of another dialect would be in crontab's. */
export interface Translated {
  readonly dialect: string;
  readonly crontab: string;
}

/**
 * The six fields of EventBridge's cron() (with a year, `?` for one of the two days, Sunday as 1) or of schedulers that
 * begin with seconds, in crontab's five. Null where it is neither, or says what crontab cannot.
 */
export function crontabOf(text: string): Translated | null {
  const inside = /^cron\((.*)\)$/i.exec(text.trim());
  const fields = (inside?.[1] ?? text).trim().split(/\s+/);
  if (fields.length !== 6) return null;
  if (inside !== null || fields.includes('?')) return fromEventBridge(fields);
  const [seconds, ...rest] = fields;
  return seconds === '0' ? { dialect: 'one with seconds', crontab: rest.join(' ') } : null;
}

function fromEventBridge(fields: readonly string[]): Translated | null {
  const [minute = '', hour = '', day = '', month = '', weekday = '', year] = fields;
  if (year !== '*' || /[LW#]/i.test(day) || /#|L$/i.test(weekday)) return null;
  const crontab = [
    stepsFrom(minute, 59),
    stepsFrom(hour, 23),
    day === '?' ? '*' : day,
    month,
    weekday === '?' ? '*' : fromOne(weekday),
  ].join(' ');
  return { dialect: "EventBridge's cron(), with six fields and Sunday as 1", crontab };
}

/** EventBridge writes "from 5 on, every 10" as 5/10. */
const stepsFrom = (field: string, last: number): string => field.replace(/^(\d+)\//, `$1-${last}/`);

/** Sunday is 1 there and 0 here; the number behind a slash is a step. */
const fromOne = (field: string): string => field.replace(/(?<![/\d])\d/g, (digit) => String(Number(digit) - 1));
