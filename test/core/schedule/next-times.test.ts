import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTimes } from '../../../src/core/schedule/next-times.ts';
import { parseCron } from '../../../src/core/schedule/parse-cron.ts';

const timesAfter = (text: string, zone: string, from: string, count: number) =>
  nextTimes(parseCron(text), zone, Date.parse(from), count).map((ms) => new Date(ms).toISOString().slice(0, 16));

describe('next times', () => {
  it.each([
    {
      name: 'every night',
      text: '0 2 * * *',
      from: '2026-11-30T21:00Z',
      times: ['2026-12-01T02:00', '2026-12-02T02:00'],
    },
    { name: 'not the instant itself', text: '0 2 * * *', from: '2026-12-01T02:00Z', times: ['2026-12-02T02:00'] },
    { name: 'a second before it', text: '0 2 * * *', from: '2026-12-01T01:59:59Z', times: ['2026-12-01T02:00'] },
    { name: 'on working days', text: '0 6 * * MON-FRI', from: '2026-12-04T07:00Z', times: ['2026-12-07T06:00'] },
    { name: 'on Sundays as 7', text: '0 6 * * 7', from: '2026-12-01T00:00Z', times: ['2026-12-06T06:00'] },
    {
      name: 'on the 31st: months without one are left out',
      text: '0 0 31 * *',
      from: '2027-01-31T12:00Z',
      times: ['2027-03-31T00:00', '2027-05-31T00:00'],
    },
    {
      name: 'on February 29, past the century that has none',
      text: '0 0 29 2 *',
      from: '2092-03-01T00:00Z',
      times: ['2096-02-29T00:00', '2104-02-29T00:00'],
    },
    {
      name: 'several a day, in order',
      text: '0,30 0,12 * * *',
      from: '2026-12-01T00:10Z',
      times: ['2026-12-01T00:30', '2026-12-01T12:00', '2026-12-01T12:30', '2026-12-02T00:00'],
    },
  ])('$name', ({ text, from, times }) => {
    expect(timesAfter(text, 'UTC', from, times.length)).toEqual(times);
  });

  it.each([
    { zone: 'Europe/Berlin', text: '0 2 * * *', from: '2026-01-10T12:00Z', times: ['2026-01-11T01:00'] },
    { zone: 'Europe/Berlin', text: '0 2 * * *', from: '2026-07-10T12:00Z', times: ['2026-07-11T00:00'] },
    { zone: 'America/Los_Angeles', text: '0 18 * * FRI', from: '2026-12-04T12:00Z', times: ['2026-12-05T02:00'] },
    { zone: 'Asia/Kolkata', text: '0 0 1 * *', from: '2026-12-15T00:00Z', times: ['2026-12-31T18:30'] },
    { zone: 'Pacific/Kiritimati', text: '0 0 1 1 *', from: '2026-12-15T00:00Z', times: ['2026-12-31T10:00'] },
    { zone: 'Pacific/Apia', text: '0 9 30 12 *', from: '2011-12-01T00:00Z', times: ['2012-12-29T19:00'] },
  ])('by the clocks of $zone', ({ zone, text, from, times }) => {
    expect(timesAfter(text, zone, from, times.length)).toEqual(times);
  });

  it('skips a time that the clocks skip in spring', () => {
    // Berlin, 29 March 2026: 02:00 is followed by 03:00.
    const times = timesAfter('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', 3);
    expect(times).toEqual(['2026-03-28T01:30', '2026-03-30T00:30', '2026-03-31T00:30']);
  });

  it('fires once, the first time, where the clocks show a time twice in autumn', () => {
    // Berlin, 25 October 2026: 03:00 is followed by 02:00.
    const times = timesAfter('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2);
    expect(times).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(timesAfter('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:45Z', 1)).toEqual(['2026-10-26T01:30']);
  });

  it('keeps half-hour changes of the clocks apart', () => {
    // Lord Howe, 5 October 2025: 02:00 is followed by 02:30.
    expect(timesAfter('15 2 * * *', 'Australia/Lord_Howe', '2025-10-04T12:00Z', 1)).toEqual(['2025-10-05T15:15']);
  });

  it('a time that only comes in an hour that is skipped is looked for in other years', () => {
    // The last Sunday of March 2026 is the 29th; in 2027 the 29th is a Monday.
    expect(timesAfter('30 2 29 3 *', 'Europe/Berlin', '2026-03-01T00:00Z', 1)).toEqual(['2027-03-29T00:30']);
  });

  it('asks for none and gets none', () => {
    expect(nextTimes(parseCron('@daily'), 'UTC', 0, 0)).toEqual([]);
  });
});

describe('against a look at every minute', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Africa/Casablanca',
  ];
  const crons = [
    '30 2 * * *',
    '*/20 0-3 * * *',
    '15 1 * * SUN',
    '0 */6 * * 1-5',
    '59 23 28-31 * *',
    '0 0 1 3,4,10,11 *',
  ];
  // Around the changes of the clocks of all of them.
  const starts = [
    '2026-03-07T00:00Z',
    '2026-03-28T00:00Z',
    '2026-04-04T00:00Z',
    '2026-10-03T00:00Z',
    '2026-10-24T00:00Z',
    '2026-10-31T00:00Z',
  ];

  it('finds the same times: each shown by the clocks, only the first time they show it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...crons),
        fc.constantFrom(...starts),
        fc.integer({ min: 0, max: 1_440 }),
        (zone, text, start, shift) => {
          const from = Date.parse(start) + shift * 60_000;
          const until = from + 3 * 86_400_000;
          const found = nextTimes(parseCron(text), zone, from, 200).filter((ms) => ms < until);
          expect(found).toEqual(everyMinute(text, zone, from, until));
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** Looks at the clocks every minute, a day before `from` on, so that times shown before are known. */
function everyMinute(text: string, zone: string, from: number, until: number): number[] {
  const { minutes, hours, days, months, weekdays } = parseCron(text);
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const seen = new Set<string>();
  const found: number[] = [];
  for (let ms = from - 86_400_000; ms < until; ms += 60_000) {
    const shownTime = format.format(ms); // 2026-03-29 02:30
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = shownTime.split(/[- :]/).map(Number);
    const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
    const isDue =
      minutes.includes(minute) &&
      hours.includes(hour) &&
      days.includes(day) &&
      months.includes(month) &&
      weekdays.includes(weekday) &&
      !seen.has(shownTime);
    seen.add(shownTime);
    if (isDue && ms > from) found.push(ms);
  }
  return found;
}
