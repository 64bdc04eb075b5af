import { describe, expect, it } from 'vitest';
import { parseEval, parseEvalFile } from '../../../src/core/config/parse-eval.ts';
import { ConfigError } from '../../../src/core/errors.ts';

const evalWith = (schedule: unknown) => ({
  name: 'faq',
  type: 'qa',
  dataset: './faq.csv',
  target: { url: 'https://api.example.com/answer' },
  scorers: ['contains'],
  schedule,
});

function faultOf(schedule: unknown) {
  try {
    parseEval(evalWith(schedule));
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('schedule of an eval', () => {
  it.each([
    { written: '0 2 * * *', kept: { cron: '0 2 * * *', timezone: 'UTC' } },
    { written: { cron: '0 2 * * *' }, kept: { cron: '0 2 * * *', timezone: 'UTC' } },
    { written: { cron: '@daily', timezone: 'Europe/Berlin' }, kept: { cron: '@daily', timezone: 'Europe/Berlin' } },
    { written: ' 0\t2  * * *\n', kept: { cron: '0 2 * * *', timezone: 'UTC' } },
    { written: undefined, kept: undefined },
  ])('is kept as $kept', ({ written, kept }) => {
    expect(parseEval(evalWith(written)).schedule).toEqual(kept);
  });

  it('reads what it keeps as the same again', () => {
    const kept = parseEvalFile(evalWith({ cron: '0 2 * * 1', timezone: 'Asia/Kolkata' }));
    expect(parseEvalFile(kept)).toEqual(kept);
  });

  it.each([
    { schedule: '0 2 * *', field: 'schedule', says: '4 fields' },
    { schedule: '', field: 'schedule', says: '0 fields' },
    { schedule: 5, field: 'schedule', says: 'must be' },
    { schedule: null, field: 'schedule', says: '' },
    { schedule: {}, field: 'schedule.cron', says: 'missing' },
    { schedule: { cron: 'cron(0 2 ? * 2-6 *)' }, field: 'schedule.cron', says: 'write "0 2 * * 1-5"' },
    { schedule: { cron: '0 2 * * *', time_zone: 'UTC' }, field: 'schedule.time_zone', says: 'unknown key "time_zone"' },
    {
      schedule: { cron: '0 2 * * *', timezone: 'Europe/Berln' },
      field: 'schedule.timezone',
      says: 'did you mean "Europe/Berlin"?',
    },
  ])('$schedule is refused at $field', ({ schedule, field, says }) => {
    const faults = faultOf(schedule);
    expect(faults.map((fault) => fault.field)).toEqual([field]);
    expect(faults[0]?.message).toContain(says);
  });

  it.each([
    { schedule: 'x '.repeat(100_000), field: 'schedule' },
    { schedule: { cron: `0 2 * * ${'MON-'.repeat(50_000)}` }, field: 'schedule.cron' },
    { schedule: { cron: '@daily', timezone: 'x'.repeat(200_000) }, field: 'schedule.timezone' },
  ])('a text of any length at $field is refused by its length alone', ({ schedule, field }) => {
    const faults = faultOf(schedule);
    expect(faults.map((fault) => fault.field)).toEqual([field]);
    expect(faults[0]?.message).toMatch(/^must have at most \d+ characters$/);
  });

  it('names the nearest key for a mistyped one', () => {
    expect(faultOf({ cron: '0 2 * * *', time_zone: 'UTC' })[0]?.fix).toBe('did you mean "timezone"?');
  });

  it.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'US/Pacific', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
    'takes the time zone %s',
    (timezone) => {
      expect(parseEval(evalWith({ cron: '@daily', timezone })).schedule?.timezone).toBe(timezone);
    },
  );

  it.each([
    { timezone: 'europe/berlin', says: 'is written "Europe/Berlin"' },
    { timezone: 'utc', says: 'is written "UTC"' },
    { timezone: 'Berlin', says: 'did you mean "Europe/Berlin"?' },
    { timezone: 'New York', says: 'did you mean "America/New_York"?' },
    { timezone: 'PST', says: 'did you mean "America/Los_Angeles"?' },
    { timezone: 'GMT', says: 'did you mean "UTC"?' },
    { timezone: '+02:00', says: 'write a name such as Europe/Berlin, or UTC' },
    { timezone: '', says: 'no time zone' },
    { timezone: 'Mars/Olympus', says: 'no time zone' },
    { timezone: 'Europe/Berlin\n', says: 'no time zone' },
  ])('refuses the time zone $timezone', ({ timezone, says }) => {
    expect(faultOf({ cron: '@daily', timezone })[0]?.message).toContain(says);
  });
});
