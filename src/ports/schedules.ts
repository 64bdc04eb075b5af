/** When an eval starts by itself. */
export interface ScheduledEval {
  readonly project: string;
  readonly eval: string;
  /** Crontab's five fields. */
  readonly cron: string;
  readonly timezone: string;
}

export interface ListedSchedule extends ScheduledEval {
  /** False: somebody changed it past us, and it starts at other times, or something else, or nothing. */
  readonly intact: boolean;
}

/** What starts evals at their times: one schedule an eval. Starts come at least once. Throws ScheduleError. */
export interface Schedules {
  /** Makes the eval's schedule, or makes it anew. Repeatable. */
  put(scheduled: ScheduledEval): Promise<void>;
  /** Repeatable: there is none afterwards, whether there was one or not. */
  remove(project: string, evalName: string): Promise<void>;
  /** All of ours, in no order. */
  list(): Promise<readonly ListedSchedule[]>;
}
