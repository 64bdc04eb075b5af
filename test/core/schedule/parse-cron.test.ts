import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toEventBridgeCron } from '../../../src/core/schedule/eventbridge-cron.ts';
import { parseCron, readCron } from '../../../src/core/schedule/parse-cron.ts';

const faultOf = (text: string): string => {
  const read = readCron(text);
  if ('cron' in read) throw new Error(`"${text}" was taken`);
  return read.fault;
};
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('fields of crontab', () => {
  it.each([
    { text: '0 2 * * *', minutes: [0], hours: [2], days: range(1, 31), months: range(1, 12), weekdays: range(0, 6) },
    { text: '*/15 9-17 * * MON-FRI', minutes: [0, 15, 30, 45], hours: range(9, 17), weekdays: [1, 2, 3, 4, 5] },
    { text: '5,35 0 1,15 * *', minutes: [5, 35], hours: [0], days: [1, 15] },
    { text: '0 0 29 2 *', days: [29], months: [2] },
    { text: '0 6-22/4 * jan-mar,DEC *', hours: [6, 10, 14, 18, 22], months: [1, 2, 3, 12] },
    { text: '30 3 * * 0', weekdays: [0] },
    { text: '30 3 * * 7', weekdays: [0] },
    { text: '30 3 * * 5-7', weekdays: [0, 5, 6] },
    { text: '30 3 * * FRI-SUN', weekdays: [0, 5, 6] },
    { text: '30 3 * * SUN-TUE', weekdays: [0, 1, 2] },
    { text: '30 3 * * sun,Mon,1', weekdays: [0, 1] },
    { text: '30 3 * * */2', weekdays: [0, 2, 4, 6] },
    { text: '  0\t2  * * *  ', minutes: [0], hours: [2] },
    { text: '@daily', minutes: [0], hours: [0], days: range(1, 31) },
    { text: '@Weekly', minutes: [0], hours: [0], weekdays: [0] },
    { text: '@monthly', days: [1] },
    { text: '@yearly', days: [1], months: [1] },
  ])('reads $text', ({ text, ...fields }) => {
    expect(parseCron(text)).toMatchObject(fields);
  });
});

describe('what is refused says what to write', () => {
  it.each([
    { text: '', says: '0 fields' },
    { text: '0 2 * *', says: '4 fields' },
    { text: '0 2 * * * * *', says: '7 fields' },
    { text: '60 2 * * *', says: 'minute: "60" is no minute (0 to 59)' },
    { text: '0 24 * * *', says: 'hour: "24" is no hour (0 to 23)' },
    { text: '0 2 0 * *', says: '"0" is no day of the month (1 to 31)' },
    { text: '0 2 * 13 *', says: '"13" is no month (1 to 12, or JAN to DEC)' },
    { text: '0 2 * * 8', says: '"8" is no day of the week (0 to 7, or SUN to SAT)' },
    { text: '0 2 * * MONDAY', says: '"MONDAY" is no day of the week' },
    { text: '-1 2 * * *', says: '"-1" is no minute' },
    { text: '0 2- * * *', says: '"2-" is no hour' },
    { text: '0 2,, * * *', says: '"" is no hour' },
    { text: '0 1e1 * * *', says: '"1e1" is no hour' },
    { text: '0 ２ * * *', says: 'is no hour' },
    { text: '0 22-2 * * *', says: 'runs backwards' },
    { text: '5/10 * * * *', says: 'write 5-59/10' },
    { text: '0 */0 * * *', says: 'a whole number from 1 to 23' },
    { text: '0 */24 * * *', says: 'a whole number from 1 to 23' },
    { text: '0 */2/2 * * *', says: 'more than one step' },
    { text: '0 2 L * *', says: 'L, W and # (last, nearest weekday, nth) are not supported' },
    { text: '0 2 15W * *', says: 'not supported' },
    { text: '0 2 * * 2#1', says: 'not supported' },
    { text: '0 2 * * FRIL', says: 'not supported' },
    { text: '0 2 ? * MON', says: 'write "*"' },
    { text: '0 2 1 * MON', says: 'leave one of the two "*"' },
    {
      text: '* 2 * * *',
      says: 'starts 60 runs an hour; at most one every five minutes is taken; for one start write "0 2 * * *"',
    },
    { text: '*/2 * * * *', says: 'starts 30 runs an hour' },
    { text: '0 2 30 2 *', says: 'never comes: no month of it has a day 30' },
    { text: '0 2 31 4,6,9,11 *', says: 'never comes' },
    { text: '@reboot', says: 'the macros are @hourly, @daily' },
    { text: '@', says: 'the macros are' },
    { text: 'constructor', says: 'has 1 fields' },
    { text: 'nightly', says: 'has 1 fields' },
    { text: 'rate(1 day)', says: 'an expression of EventBridge' },
    { text: 'at(2026-12-24T00:00:00)', says: 'an expression of EventBridge' },
  ])('$text', ({ text, says }) => {
    expect(faultOf(text)).toContain(says);
  });

  it.each([
    { name: 'six fields of EventBridge', text: '0 2 * * ? *', write: '0 2 * * *' },
    { name: 'in its function', text: 'cron(15 10 ? * 2-6 *)', write: '15 10 * * 1-5' },
    { name: 'with days by name', text: 'cron(15 10 ? * MON-FRI *)', write: '15 10 * * MON-FRI' },
    { name: 'with its Sunday', text: 'cron(0 4 ? * 1 *)', write: '0 4 * * 0' },
    { name: 'with a step from a value', text: 'cron(5/10 8-17 ? * 2,4 *)', write: '5-59/10 8-17 * * 1,3' },
    { name: 'with the first of each month', text: 'cron(0 8 1 * ? *)', write: '0 8 1 * *' },
    { name: 'seconds first', text: '0 0 2 * * *', write: '0 2 * * *' },
  ])('$name becomes crontab’s five', ({ text, write }) => {
    expect(faultOf(text)).toContain(`write "${write}"`);
    expect(readCron(write)).toHaveProperty('cron');
  });

  it.each(['cron(0 8 L * ? *)', 'cron(0 8 ? * 2#1 *)', 'cron(0 8 1 1 ? 2027)', '30 0 2 * * *'])(
    'nothing is promised for %s, which has no like in crontab',
    (text) => {
      expect(faultOf(text)).not.toContain('write "');
    },
  );

  it('a text of any length is cut', () => {
    expect(faultOf('x'.repeat(5_000)).length).toBeLessThan(300);
  });

  it('whatever is written: a reading or a fault, never an exception', () => {
    const words = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('*', '0', '7', '31', 'MON', 'L', '?', '1-5', '*/3', '2#1', '-', '/', ','), {
          maxLength: 7,
        })
        .map((parts) => parts.join(' ')),
    );
    fc.assert(fc.property(words, (text) => Object.keys(readCron(text)).length === 1));
  });
});

describe('in EventBridge’s words', () => {
  it.each([
    { text: '0 2 * * *', cron: 'cron(0 2 * * ? *)' },
    { text: '30 4 * * MON-FRI', cron: 'cron(30 4 ? * MON,TUE,WED,THU,FRI *)' },
    { text: '30 4 * * 0', cron: 'cron(30 4 ? * SUN *)' },
    { text: '30 4 * * 6,7', cron: 'cron(30 4 ? * SUN,SAT *)' },
    { text: '0 0 1,15 */3 *', cron: 'cron(0 0 1,15 1,4,7,10 ? *)' },
    { text: '*/15 8-18 * * *', cron: 'cron(0,15,30,45 8-18 * * ? *)' },
    { text: '@hourly', cron: 'cron(0 * * * ? *)' },
  ])('$text is $cron', ({ text, cron }) => {
    expect(toEventBridgeCron(parseCron(text))).toBe(cron);
  });

  const list = (min: number, max: number, most: number) =>
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: most }).map((values) => values.join(','));
  const crontab = fc
    .tuple(
      list(0, 59, 12),
      list(0, 23, 24),
      fc.oneof(
        fc.tuple(list(1, 28, 28), fc.constant('*')),
        fc.tuple(fc.constant('*'), list(0, 7, 8)),
        fc.constant(['*', '*'] as const),
      ),
      list(1, 12, 12),
    )
    .map(([minute, hour, [day, weekday], month]) => `${minute} ${hour} ${day} ${month} ${weekday}`);

  it('names the same minutes, hours, days, months and days of the week', () => {
    fc.assert(
      fc.property(crontab, (text) => {
        const cron = parseCron(text);
        const expression = toEventBridgeCron(cron);
        const fields = /^cron\((.*)\)$/.exec(expression)?.[1]?.split(' ') ?? [];
        expect(fields).toHaveLength(6);
        expect(fields.filter((field) => field === '?')).toHaveLength(1);
        expect(spelledOut(fields[0], range(0, 59))).toEqual(cron.minutes);
        expect(spelledOut(fields[1], range(0, 23))).toEqual(cron.hours);
        expect(spelledOut(fields[2], range(1, 31))).toEqual(cron.days);
        expect(spelledOut(fields[3], range(1, 12))).toEqual(cron.months);
        expect(spelledOut(fields[4], range(0, 6))).toEqual(cron.weekdays);
        expect(expression.length).toBeLessThanOrEqual(256); // of the service
      }),
    );
  });
});

/** EventBridge's field read by its documentation, apart from the code under test. */
function spelledOut(field = '', all: readonly number[] = []): readonly number[] {
  if (field === '*' || field === '?') return all;
  const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
  const value = (text: string) => (names.includes(text) ? names.indexOf(text) : Number(text));
  return field.split(',').flatMap((part) => {
    const [from = '', to = from] = part.split('-');
    return range(value(from), value(to));
  });
}
