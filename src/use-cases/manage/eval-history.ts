import * as z from 'zod';
import { canonicalJson, sha256Hex } from '../../core/json.ts';
import { type EvalVersion, EvalVersionSchema } from '../../core/schemas/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Registry } from '../../ports/registry.ts';
import type { Schedules } from '../../ports/schedules.ts';
import { ConflictError, NotFoundError } from './errors.ts';
import { keepSchedule } from './keep-schedule.ts';

const ATTEMPTS = 5;

/** The newest versions of an eval, newest first. Throws NotFoundError. */
export async function readEvalHistory(
  request: { project: string; name: string; last: number },
  { registry }: { registry: Registry },
): Promise<readonly EvalVersion[]> {
  const newest = await findNewest(request, registry);
  const count = Math.min(request.last, newest.version);
  const numbers = Array.from({ length: count - 1 }, (_, index) => newest.version - 1 - index);
  const older = await Promise.all(numbers.map((version) => registry.getEval(request.project, request.name, version)));
  return [newest, ...older.filter((version) => version !== null)];
}

export const EvalStateSchema = z
  .strictObject({ active: z.boolean().optional(), quarantined: z.boolean().optional() })
  .refine(({ active, quarantined }) => active !== undefined || quarantined !== undefined, 'name active or quarantined');

/**
 * Switches of an eval are part of its versions: a change of them is a new one. Throws NotFoundError, ConflictError; ScheduleError when the
 * new version is stored and its schedule is not in step.
 */
export async function setEvalState(
  request: { project: string; name: string } & z.infer<typeof EvalStateSchema>,
  { registry, schedules, clock }: { registry: Registry; schedules: Schedules; clock: Clock },
): Promise<EvalVersion> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const newest = await findNewest(request, registry);
    const { active = newest.config.active, quarantined = newest.config.quarantined } = request;
    if (active === newest.config.active && quarantined === newest.config.quarantined) {
      // Asked again after the schedule failed: the switch stands as asked for, the schedule may not.
      await keepSchedule(request.project, request.name, { registry, schedules }, newest);
      return newest;
    }
    const config = { ...newest.config, active, quarantined };
    const version = EvalVersionSchema.parse({
      ...newest,
      version: newest.version + 1,
      config_hash: sha256Hex(canonicalJson(config)),
      config,
      created_at: new Date(clock.now()).toISOString(),
    });
    if (!(await registry.addEvalVersion(version))) continue;
    await keepSchedule(request.project, request.name, { registry, schedules }, newest);
    return version;
  }
  throw new ConflictError('eval-busy', `others keep changing eval "${request.name}"; try again`);
}

async function findNewest({ project, name }: { project: string; name: string }, registry: Registry) {
  const newest = await registry.getEval(project, name);
  if (newest === null) throw new NotFoundError('there is no such eval');
  return newest;
}
