/** One of the five places of a cron expression: which numbers it takes and what people may call them. */
export interface CronField {
  readonly name: 'minute' | 'hour' | 'day of the month' | 'month' | 'day of the week';
  readonly min: number;
  readonly max: number;
  /** Three-letter names, from `min` on. */
  readonly names: readonly string[];
}

export const MINUTE: CronField = { name: 'minute', min: 0, max: 59, names: [] };
export const HOUR: CronField = { name: 'hour', min: 0, max: 23, names: [] };
export const DAY: CronField = { name: 'day of the month', min: 1, max: 31, names: [] };
export const MONTH: CronField = {
  name: 'month',
  min: 1,
  max: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
/** Sunday is 0, and 7 too where it is written so. */
export const WEEKDAY: CronField = {
  name: 'day of the week',
  min: 0,
  max: 7,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};

/** The numbers a field stands for, ascending, each once; or what is wrong with it, as a person reads it. */
export type ReadField = { readonly values: readonly number[] } | { readonly fault: string };

/** Reads `*`, numbers, names, ranges, steps and lists of them. */
export function readCronField(text: string, field: CronField): ReadField {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const read = readPart(part, field);
    if ('fault' in read) return read;
    for (const value of read.values) values.add(field === WEEKDAY && value === 7 ? 0 : value);
  }
  return { values: [...values].sort((a, b) => a - b) };
}

function readPart(part: string, field: CronField): ReadField {
  const unlike = unlikeCrontab(part, field);
  if (unlike !== null) return { fault: unlike };
  const [base = '', step, ...more] = part.split('/');
  if (more.length > 0) return { fault: `"${part}" has more than one step` };
  const every = step === undefined ? 1 : wholeNumber(step);
  const span = field.max - field.min;
  if (every === null || every < 1 || every > span) {
    return { fault: `the step of "${part}" must be a whole number from 1 to ${span}` };
  }
  const range = readRange(base, field);
  if ('fault' in range) return range;
  if (step !== undefined && range.from === range.to) {
    return { fault: `"${part}" steps from a single value; write ${base}-${field.max}/${step}` };
  }
  const values: number[] = [];
  for (let value = range.from; value <= range.to; value += every) values.push(value);
  return { values };
}

type Range = { readonly from: number; readonly to: number } | { readonly fault: string };

function readRange(base: string, field: CronField): Range {
  // 7 is another name for Sunday: `*` and its steps count each day once.
  if (base === '*') return { from: field.min, to: field === WEEKDAY ? 6 : field.max };
  const [first = '', last, ...more] = base.split('-');
  const from = readValue(first, field);
  const to = last === undefined ? from : readValue(last, field);
  if (more.length > 0 || from === null || to === null) return { fault: notAValue(base, field) };
  // FRI-SUN: at the end of a range Sunday closes the week.
  const end = field === WEEKDAY && to === 0 && last !== undefined && from > 0 ? 7 : to;
  if (end >= from) return { from, to: end };
  return { fault: `the range "${base}" runs backwards; write it as two, such as ${first}-${field.max},…` };
}

function readValue(text: string, { min, max, names }: CronField): number | null {
  const named = names.indexOf(text.toUpperCase());
  const value = named >= 0 ? named + min : wholeNumber(text);
  return value === null || value < min || value > max ? null : value;
}

/** What other dialects of cron take here. */
function unlikeCrontab(part: string, field: CronField): string | null {
  if (part === '?') return '"?" belongs to the cron() of EventBridge; write "*"';
  const isDay = field === DAY || field === WEEKDAY;
  if (isDay && /^(L|LW|L-\d+|\d+W|\w+#\d+|\w+L)$/i.test(part)) {
    return `"${part}": L, W and # (last, nearest weekday, nth) are not supported; name the days themselves`;
  }
  return null;
}

function notAValue(text: string, { name, min, max, names }: CronField): string {
  const known = names.length > 0 ? `, or ${names[0]} to ${names.at(-1)}` : '';
  return `"${text}" is no ${name} (${min} to ${max}${known})`;
}

function wholeNumber(text: string): number | null {
  return /^\d{1,4}$/.test(text) ? Number(text) : null;
}
