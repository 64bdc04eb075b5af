import { ScheduleError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/json.ts';
import { toEventBridgeCron } from '../../core/schedule/eventbridge-cron.ts';
import { parseCron } from '../../core/schedule/parse-cron.ts';
import { ScheduledEventSchema } from '../../core/schemas/schedule.ts';
import type { ListedSchedule, ScheduledEval, Schedules } from '../../ports/schedules.ts';
import type { SchedulerHandle } from './clients.ts';
import { isNamed, isServiceFailure } from './service-errors.ts';

/** The service writes the time in when it calls. */
const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';
/** A start that could not be delivered for this long is given up: a nightly run at noon helps nobody. */
const LONGEST_DELIVERY_S = 3_600;
const ATTEMPTS = 3;

export interface EventBridgeSchedulesOptions {
  readonly scheduler: SchedulerHandle;
  /** Holds the schedules of this stage and nothing else. */
  readonly groupName: string;
  /** Function that starts the run. */
  readonly targetArn: string;
  /** What the service becomes to call it. */
  readonly roleArn: string;
  /** Queue of what could not be delivered. */
  readonly deadLetterArn: string;
}

/** Schedules in one group of EventBridge Scheduler, named after project and eval. Throws ScheduleError. */
export class EventBridgeSchedules implements Schedules {
  private readonly options: EventBridgeSchedulesOptions;

  constructor(options: EventBridgeSchedulesOptions) {
    this.options = options;
  }

  async put(scheduled: ScheduledEval): Promise<void> {
    await told(async () => {
      const { sdk, client } = await this.options.scheduler();
      const input = this.inputOf(scheduled);
      for (let attempt = 1; ; attempt += 1) {
        try {
          await client.send(new sdk.UpdateScheduleCommand(input));
          return;
        } catch (error) {
          if (!isNamed(error, 'ResourceNotFoundException')) {
            // Another writer changes it in this moment.
            if (isNamed(error, 'ConflictException') && attempt < ATTEMPTS) continue;
            throw error;
          }
        }
        try {
          await client.send(new sdk.CreateScheduleCommand(input));
          return;
        } catch (error) {
          // Another writer made it in this moment.
          if (!isNamed(error, 'ConflictException') || attempt === ATTEMPTS) throw error;
        }
      }
    });
  }

  async remove(project: string, evalName: string): Promise<void> {
    await told(async () => {
      const { sdk, client } = await this.options.scheduler();
      const { groupName: GroupName } = this.options;
      try {
        await client.send(new sdk.DeleteScheduleCommand({ GroupName, Name: scheduleName(project, evalName) }));
      } catch (error) {
        if (!isNamed(error, 'ResourceNotFoundException')) throw error;
      }
    });
  }

  async list(): Promise<readonly ListedSchedule[]> {
    return told(async () => {
      const { sdk, client } = await this.options.scheduler();
      const { groupName: GroupName } = this.options;
      const listed: ListedSchedule[] = [];
      let NextToken: string | undefined;
      do {
        const page = await client.send(new sdk.ListSchedulesCommand({ GroupName, MaxResults: 100, NextToken }));
        for (const { Name } of page.Schedules ?? []) {
          const found = Name === undefined ? null : await this.read(Name);
          if (found !== null) listed.push(found);
        }
        NextToken = page.NextToken;
      } while (NextToken !== undefined);
      return listed;
    });
  }

  /** Null for what is none of ours, and for what is gone by now. */
  private async read(name: string): Promise<ListedSchedule | null> {
    const { sdk, client } = await this.options.scheduler();
    try {
      const found = await client.send(new sdk.GetScheduleCommand({ GroupName: this.options.groupName, Name: name }));
      const event = ScheduledEventSchema.safeParse(readJson(found.Target?.Input));
      if (!event.success) return null;
      const { scheduled_at, ...scheduled } = event.data;
      if (name !== scheduleName(scheduled.project, scheduled.eval)) return null;
      const wanted = this.inputOf(scheduled);
      const intact =
        scheduled_at === SCHEDULED_TIME &&
        found.State === wanted.State &&
        found.ScheduleExpression === wanted.ScheduleExpression &&
        found.ScheduleExpressionTimezone === wanted.ScheduleExpressionTimezone &&
        found.Target?.Arn === wanted.Target.Arn &&
        found.Target.RoleArn === wanted.Target.RoleArn;
      return { ...scheduled, intact };
    } catch (error) {
      if (isNamed(error, 'ResourceNotFoundException')) return null;
      throw error;
    }
  }

  private inputOf({ project, eval: name, cron, timezone }: ScheduledEval) {
    const { groupName, targetArn, roleArn, deadLetterArn } = this.options;
    return {
      Name: scheduleName(project, name),
      GroupName: groupName,
      Description: `Assay: starts eval ${project}.${name} (${cron} ${timezone})`,
      ScheduleExpression: toEventBridgeCron(parseCron(cron)),
      ScheduleExpressionTimezone: timezone,
      FlexibleTimeWindow: { Mode: 'OFF' as const },
      State: 'ENABLED' as const,
      Target: {
        Arn: targetArn,
        RoleArn: roleArn,
        Input: JSON.stringify({ project, eval: name, cron, timezone, scheduled_at: SCHEDULED_TIME }),
        RetryPolicy: { MaximumRetryAttempts: 10, MaximumEventAgeInSeconds: LONGEST_DELIVERY_S },
        DeadLetterConfig: { Arn: deadLetterArn },
      },
    };
  }
}

/** At most 64 characters, for people to find and for nobody to guess two of. */
export function scheduleName(project: string, evalName: string): string {
  const id = `${project}.${evalName}`;
  return `${id.slice(0, 40)}-${sha256Hex(id).slice(0, 20)}`;
}

function readJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function told<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Error) || !isServiceFailure(error)) throw error;
    throw new ScheduleError(`EventBridge Scheduler: ${error.name}: ${error.message}`, { cause: error });
  }
}
