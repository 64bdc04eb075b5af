import { ScheduleError } from '../../core/errors.ts';
import type { EvalVersion } from '../../core/schemas/registry.ts';
import type { Registry } from '../../ports/registry.ts';
import type { ScheduledEval, Schedules } from '../../ports/schedules.ts';

export interface SchedulePorts {
  readonly registry: Pick<Registry, 'getEval'>;
  readonly schedules: Schedules;
}

const ATTEMPTS = 5;

/** What an eval asks for; null where it does not start by itself: without a schedule, or not active. */
export function scheduledEval({ project, name, config }: EvalVersion): ScheduledEval | null {
  const { schedule, active } = config;
  return schedule === undefined || !active ? null : { project, eval: name, ...schedule };
}

/**
 * Brings the schedule of an eval in step with its newest version. Of writers at once the last one to end has seen the newest, so that is what
 * stands. `before` is the version that was replaced, null for a first one: where neither has a schedule the service is not asked, so that
 * storing such evals does not depend on it. Throws ScheduleError, which says that the eval is stored: the hourly mending finds it.
 */
export async function keepSchedule(
  project: string,
  name: string,
  { registry, schedules }: SchedulePorts,
  before?: EvalVersion | null,
): Promise<void> {
  let newest = await registry.getEval(project, name);
  let mayHaveOne = before === undefined || before?.config.schedule !== undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const wanted = newest === null ? null : scheduledEval(newest);
    try {
      if (wanted !== null) await schedules.put(wanted);
      else if (mayHaveOne) await schedules.remove(project, name);
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error;
      const again = wanted === null ? '' : ', or send it again';
      const message = `eval "${name}" is stored, its schedule is not in step yet: that is mended within the hour${again}`;
      throw new ScheduleError(message, { cause: error });
    }
    const now = await registry.getEval(project, name);
    if (now?.version === newest?.version && now?.created_at === newest?.created_at) return;
    newest = now;
    mayHaveOne = true;
  }
}
