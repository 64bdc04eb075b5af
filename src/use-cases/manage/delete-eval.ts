import { ScheduleError } from '../../core/errors.ts';
import type { Registry } from '../../ports/registry.ts';
import type { Schedules } from '../../ports/schedules.ts';
import { NotFoundError } from './errors.ts';

/**
 * The schedule first: an eval whose schedule is left would fire for ever, one that lost it too early gets it back by the hourly
 * mending. Throws NotFoundError, ScheduleError (nothing is deleted then).
 */
export async function deleteEval(
  { project, name }: { readonly project: string; readonly name: string },
  { registry, schedules }: { readonly registry: Registry; readonly schedules: Schedules },
): Promise<void> {
  const newest = await registry.getEval(project, name);
  if (newest === null) throw new NotFoundError('there is no such eval');
  try {
    if (newest.config.schedule !== undefined) await schedules.remove(project, name);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    throw new ScheduleError(`eval "${name}" is not deleted: its schedule could not be removed; try again`, {
      cause: error,
    });
  }
  await registry.deleteEval(project, name);
}
