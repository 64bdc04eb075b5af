import type { ListedSchedule, ScheduledEval, Schedules } from '../../ports/schedules.ts';

/** Schedules in this process, which start nothing by themselves. */
export class MemorySchedules implements Schedules {
  private readonly schedules = new Map<string, ScheduledEval>();

  async put(scheduled: ScheduledEval): Promise<void> {
    this.schedules.set(keyOf(scheduled.project, scheduled.eval), { ...scheduled });
  }

  async remove(project: string, evalName: string): Promise<void> {
    this.schedules.delete(keyOf(project, evalName));
  }

  async list(): Promise<readonly ListedSchedule[]> {
    return [...this.schedules.values()].map((scheduled) => ({ ...scheduled, intact: true }));
  }
}

const keyOf = (project: string, evalName: string): string => `${project}.${evalName}`;
