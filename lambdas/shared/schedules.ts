import * as z from 'zod';
import { schedulerHandle } from '../../src/adapters/aws/clients.ts';
import { EventBridgeSchedules } from '../../src/adapters/aws/eventbridge-schedules.ts';
import type { Schedules } from '../../src/ports/schedules.ts';

/** What functions are told that make the schedules of evals. */
export const SchedulesEnvSchema = z.object({
  /** Group of EventBridge Scheduler. */
  SCHEDULE_GROUP: z.string().min(1),
  /** Function that a schedule calls. */
  SCHEDULE_TARGET_ARN: z.string().min(1),
  /** Role in which it is called. */
  SCHEDULE_ROLE_ARN: z.string().min(1),
  /** Queue of calls that were given up. */
  SCHEDULE_DEAD_LETTER_ARN: z.string().min(1),
});
export type SchedulesEnv = z.input<typeof SchedulesEnvSchema>;

export function createSchedules(env: SchedulesEnv): Schedules {
  return new EventBridgeSchedules({
    scheduler: schedulerHandle(),
    groupName: env.SCHEDULE_GROUP,
    targetArn: env.SCHEDULE_TARGET_ARN,
    roleArn: env.SCHEDULE_ROLE_ARN,
    deadLetterArn: env.SCHEDULE_DEAD_LETTER_ARN,
  });
}
