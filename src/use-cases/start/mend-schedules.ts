import type { Registry } from '../../ports/registry.ts';
import type { ScheduledEval, Schedules } from '../../ports/schedules.ts';
import { keepSchedule, scheduledEval } from '../manage/keep-schedule.ts';

export interface MendReport {
  /** Evals that start by themselves. */
  readonly scheduled: number;
  /** `<project>.<eval>` whose schedule was missing, wrong or left over. */
  readonly mended: readonly string[];
}

/**
 * Brings all schedules in step with the evals: after a call that failed between the two, a stage deployed anew, or a hand in the
 * console. Every one is looked at again before it is changed. Throws ScheduleError.
 */
export async function mendSchedules(ports: {
  readonly registry: Registry;
  readonly schedules: Schedules;
}): Promise<MendReport> {
  // The schedules first: one that is made meanwhile is then no leftover.
  const listed = await ports.schedules.list();
  const wanted = new Map((await everyScheduled(ports.registry)).map((scheduled) => [idOf(scheduled), scheduled]));
  const mended: string[] = [];
  const mend = async (scheduled: ScheduledEval) => {
    await keepSchedule(scheduled.project, scheduled.eval, ports);
    mended.push(idOf(scheduled));
  };
  const known = new Map(listed.map((schedule) => [idOf(schedule), schedule]));
  for (const [id, scheduled] of wanted) {
    const found = known.get(id);
    const isInStep = found?.intact === true && found.cron === scheduled.cron && found.timezone === scheduled.timezone;
    if (!isInStep) await mend(scheduled);
  }
  for (const [id, schedule] of known) if (!wanted.has(id)) await mend(schedule);
  return { scheduled: wanted.size, mended };
}

async function everyScheduled(registry: Registry): Promise<ScheduledEval[]> {
  const found: ScheduledEval[] = [];
  for (const project of await registry.listProjects()) {
    for (const version of await registry.listEvals(project.id)) {
      const scheduled = scheduledEval(version);
      if (scheduled !== null) found.push(scheduled);
    }
  }
  return found;
}

const idOf = ({ project, eval: name }: ScheduledEval): string => `${project}.${name}`;
