import { type CronField, DAY, HOUR, MINUTE, MONTH, readCronField, WEEKDAY } from './cron-field.ts';
import { crontabOf } from './foreign-cron.ts';

/** When a schedule fires, in its own time zone. Each list is ascending. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  /** January is 1. */
  readonly months: readonly number[];
  /** Sunday is 0. */
  readonly weekdays: readonly number[];
}

export type ReadCron = { readonly cron: Cron } | { readonly fault: string };

/** Every five minutes: what a person means by more is nearly always a slip, and each start costs money. */
const MOST_STARTS_AN_HOUR = 12;

const MACROS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '@hourly': '0 * * * *',
    '@daily': '0 0 * * *',
    '@midnight': '0 0 * * *',
    '@weekly': '0 0 * * 0',
    '@monthly': '0 0 1 * *',
    '@yearly': '0 0 1 1 *',
    '@annually': '0 0 1 1 *',
  }),
);
const FIELDS: readonly CronField[] = [MINUTE, HOUR, DAY, MONTH, WEEKDAY];
const LONGEST_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads the five fields of crontab (minute, hour, day of the month, month, day of the week), or a macro such as @daily.
 * A fault says what to write instead, where that can be known.
 */
export function readCron(text: string): ReadCron {
  const trimmed = text.trim();
  const written = MACROS.get(trimmed.toLowerCase()) ?? trimmed;
  if (written.startsWith('@')) {
    return { fault: `"${shown(trimmed)}" is no schedule; the macros are ${[...MACROS.keys()].join(', ')}` };
  }
  const parts = written.split(/\s+/);
  if (parts.length !== FIELDS.length || written.includes('(')) return { fault: notFiveFields(written, parts) };
  const lists: (readonly number[])[] = [];
  for (const [index, field] of FIELDS.entries()) {
    const read = readCronField(parts[index] ?? '', field);
    if ('fault' in read) return { fault: `${field.name}: ${read.fault}` };
    lists.push(read.values);
  }
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = lists;
  const cron: Cron = { minutes, hours, days, months, weekdays };
  const fault = senseless(cron, parts);
  return fault === null ? { cron } : { fault };
}

/** The expression as it was read; for text that `readCron` took before. Throws TypeError. */
export function parseCron(text: string): Cron {
  const read = readCron(text);
  if ('cron' in read) return read.cron;
  throw new TypeError(`"${shown(text)}" is no schedule: ${read.fault}`);
}

/** Well written, and surely not what was meant. */
function senseless({ minutes, hours, days, months }: Cron, parts: readonly string[]): string | null {
  if (minutes.length > MOST_STARTS_AN_HOUR) {
    const hour = hours.length === 24 ? '' : `; for one start write "0 ${parts.slice(1).join(' ')}"`;
    return `starts ${minutes.length} runs an hour; at most one every five minutes is taken${hour}`;
  }
  if (parts[2] !== '*' && parts[4] !== '*') {
    // Crontab would start on either, and EventBridge cannot say "either".
    return 'names days of the month and days of the week: crontab starts on either of them, EventBridge cannot; leave one of the two "*"';
  }
  if (!months.some((month) => (days[0] ?? 0) <= (LONGEST_DAYS[month - 1] ?? 0))) {
    return `never comes: no month of it has a day ${days[0]}`;
  }
  return null;
}

function notFiveFields(written: string, parts: readonly string[]): string {
  const five = 'a schedule has the five fields of crontab: minute, hour, day of the month, month, day of the week';
  const ours = crontabOf(written);
  if (ours !== null && 'cron' in readCron(ours.crontab)) {
    return `"${shown(written)}" is ${ours.dialect}; ${five}: write "${ours.crontab}"`;
  }
  if (/^(rate|at)\(/i.test(written)) return `"${shown(written)}" is an expression of EventBridge; ${five}`;
  return `"${shown(written)}" has ${parts.length === 1 && parts[0] === '' ? 0 : parts.length} fields; ${five}, such as "0 2 * * *"`;
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
