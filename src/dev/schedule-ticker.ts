import { nextTimes } from '../core/schedule/next-times.ts';
import { parseCron } from '../core/schedule/parse-cron.ts';
import type { ScheduledEvent } from '../core/schemas/schedule.ts';
import type { Clock } from '../ports/clock.ts';
import type { Schedules } from '../ports/schedules.ts';

export interface ScheduleTickerOptions {
  readonly schedules: Schedules;
  readonly clock: Pick<Clock, 'now'>;
  /** Hands an event to the function that starts the run. */
  fire(event: ScheduledEvent): Promise<unknown>;
}

/** What became due while the machine slept is fired only this long afterwards, as the service would deliver it. */
const LONGEST_LAG_MS = 3_600_000;
const MOST_AT_ONCE = 100;

/**
 * Fires schedules the way EventBridge Scheduler does, as often as it is told to look. What was due before it was made, while nothing ran,
 * is not fired.
 */
export class ScheduleTicker {
  private readonly options: ScheduleTickerOptions;
  private lookedAtMs: number;

  constructor(options: ScheduleTickerOptions) {
    this.options = options;
    this.lookedAtMs = options.clock.now();
  }

  /** Fires what became due since the last look; resolves with the events once they were handed over. */
  async tick(): Promise<readonly ScheduledEvent[]> {
    const { schedules, clock, fire } = this.options;
    const nowMs = clock.now();
    const sinceMs = Math.max(this.lookedAtMs, nowMs - LONGEST_LAG_MS);
    // At once: a second tick while this one waits must not find the same.
    this.lookedAtMs = nowMs;
    const due: ScheduledEvent[] = [];
    for (const { intact: _, ...scheduled } of await schedules.list()) {
      const times = nextTimes(parseCron(scheduled.cron), scheduled.timezone, sinceMs, MOST_AT_ONCE);
      for (const ms of times.filter((time) => time <= nowMs)) {
        due.push({ ...scheduled, scheduled_at: `${new Date(ms).toISOString().slice(0, 19)}Z` });
      }
    }
    await Promise.all(due.map((event) => fire(event)));
    return due;
  }
}
