import middy from '@middy/core';
import { ScheduledEventSchema } from '../../src/core/schemas/schedule.ts';
import type { StartGateRunPorts } from '../../src/use-cases/start/start-gate-run.ts';
import { startScheduled } from '../../src/use-cases/start/start-scheduled.ts';
import { log } from '../shared/log.ts';

/** A schedule's event in, its run started. What cannot be started now is tried again by Lambda, then kept in the failures queue. */
export const createHandler = (ports: StartGateRunPorts) =>
  middy().handler(async (raw: unknown) => {
    const event = ScheduledEventSchema.parse(raw);
    const start = await startScheduled(event, ports);
    const fields = { project: event.project, eval: event.eval, scheduled_at: event.scheduled_at };
    if (start.status === 'skipped') {
      log.warn('scheduled run skipped', { ...fields, reason: start.reason });
      return start;
    }
    const { gate_run_id, run_ids } = start.gate;
    log.info('scheduled run started', { ...fields, gate_run_id });
    return { status: start.status, gate_run_id, run_ids };
  });
