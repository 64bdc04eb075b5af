import * as z from 'zod';
import { readCron } from '../schedule/parse-cron.ts';
import { timeZoneFault } from '../schedule/time-zone.ts';
import { IdSchema } from './target-config.ts';

/** Longer than any that makes sense; what lies beyond is not looked into. */
const LONGEST_CRON = 200;
/** Of the service. */
const LONGEST_TIME_ZONE = 50;

const CronSchema = z
  .string()
  .max(LONGEST_CRON)
  .superRefine((text, context) => {
    if (text.length > LONGEST_CRON) return;
    const read = readCron(text);
    if ('fault' in read) context.addIssue({ code: 'custom', message: read.fault });
  });

const TimeZoneSchema = z
  .string()
  .max(LONGEST_TIME_ZONE)
  .superRefine((name, context) => {
    if (name.length > LONGEST_TIME_ZONE) return;
    const fault = timeZoneFault(name);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });

const SettledSchema = z.object({ cron: z.string(), timezone: z.string() });

/** When an eval starts by itself: `"0 2 * * *"`, in UTC, or `{cron, timezone}`. The five fields of crontab. */
export const ScheduleSchema = z
  .union([CronSchema, z.strictObject({ cron: CronSchema, timezone: TimeZoneSchema.default('UTC') })])
  .transform((written) => {
    const { cron, timezone } = typeof written === 'string' ? { cron: written, timezone: 'UTC' } : written;
    // One spelling, so that blanks are no change.
    return { cron: cron.trim().split(/\s+/).join(' '), timezone };
  })
  .pipe(SettledSchema);

export const SCHEDULE_KEYS = ['cron', 'timezone'] as const;

/** What a schedule sends when it fires: the eval, its times as they were when the schedule was made, and which of them it is. */
export const ScheduledEventSchema = SettledSchema.extend({
  project: IdSchema,
  eval: IdSchema,
  /** ISO time. */
  scheduled_at: z.string(),
});
export type ScheduledEvent = z.infer<typeof ScheduledEventSchema>;
