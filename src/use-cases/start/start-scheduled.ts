import type { GateRun } from '../../core/schemas/registry.ts';
import type { ScheduledEvent } from '../../core/schemas/schedule.ts';
import { scheduledEval } from '../manage/keep-schedule.ts';
import { NothingToRunError, type StartGateRunPorts, startGateRun } from './start-gate-run.ts';

/** Deliveries are remembered for a day; what comes later might be one that has started long ago. */
const LONGEST_DELAY_MS = 12 * 3_600_000;

export type ScheduledStart =
  | { readonly status: 'started'; readonly gate: GateRun }
  /** Nothing was started, and why. */
  | { readonly status: 'skipped'; readonly reason: string };

/**
 * Starts the run that a schedule asks for, as a call of the API would. The same time of the same eval is one run, however often the
 * event comes. An eval that is gone, not active or scheduled otherwise by now starts nothing; a quarantined one runs and decides nothing.
 * Throws TypeError for a time that is none.
 */
export async function startScheduled(event: ScheduledEvent, ports: StartGateRunPorts): Promise<ScheduledStart> {
  const scheduledMs = Date.parse(event.scheduled_at);
  if (Number.isNaN(scheduledMs)) throw new TypeError(`"${event.scheduled_at}" is no time`);
  if (ports.clock.now() - scheduledMs > LONGEST_DELAY_MS) return skipped('the event comes too late');
  const { project, eval: name } = event;
  const newest = await ports.registry.getEval(project, name);
  if (newest === null) return skipped('the eval does not exist any more');
  const wanted = scheduledEval(newest);
  if (wanted === null)
    return skipped(newest.config.active ? 'the eval has no schedule any more' : 'the eval is not active');
  if (wanted.cron !== event.cron || wanted.timezone !== event.timezone) {
    return skipped('the eval is scheduled otherwise by now');
  }
  try {
    const gate = await startGateRun(
      {
        project,
        evals: [name],
        ref: null,
        sha: null,
        triggeredBy: 'schedule',
        deliveryKey: `schedule of ${name}: ${new Date(scheduledMs).toISOString()}`,
        rawBody: '',
      },
      ports,
    );
    return { status: 'started', gate };
  } catch (error) {
    // It was deleted in this moment.
    if (error instanceof NothingToRunError) return skipped(error.message);
    throw error;
  }
}

const skipped = (reason: string): ScheduledStart => ({ status: 'skipped', reason });
