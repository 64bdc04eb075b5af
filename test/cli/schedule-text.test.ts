import { expect, it } from 'vitest';
import { scheduleText } from '../../src/cli/schedule-text.ts';

const NOW = Date.parse('2026-03-27T12:00:00Z');
const nightly = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };

it('tells the next starts by the clocks of the schedule, and leaves out the one they skip', () => {
  expect(scheduleText({ schedule: nightly, active: true }, NOW, 3)).toBe(
    'starts at 30 2 * * * (Europe/Berlin), next Sat 2026-03-28 02:30, Mon 2026-03-30 02:30, Tue 2026-03-31 02:30',
  );
});

it('promises nothing of an eval that is not active', () => {
  expect(scheduleText({ schedule: nightly, active: false }, NOW, 3)).toBe(
    'starts at 30 2 * * * (Europe/Berlin) once it is active',
  );
});

it('has nothing to tell without a schedule', () => {
  expect(scheduleText({ active: true }, NOW, 3)).toBeNull();
});
