import type { RunRecord } from '../../core/schemas/registry.ts';
import type { DeployedPorts } from '../deployed.ts';
import { type AnnouncePorts, announceRun } from './announce-run.ts';

export type ClosingPorts = AnnouncePorts & Pick<DeployedPorts, 'clock'>;

/**
 * A run that cannot go on gets its gate: `error`, or `cancelled` when somebody asked for that. Then its end is told.
 * False: it had its gate already.
 */
export async function closeWithError(runId: string, message: string, ports: ClosingPorts): Promise<boolean> {
  const { registry, clock } = ports;
  const run = await registry.getRun(runId);
  const status = run?.cancel_requested === true ? 'cancelled' : 'error';
  const finished_at = new Date(clock.now()).toISOString();
  const change: Partial<RunRecord> = { status, message, finished_at, announce_pending: true };
  const closed = await registry.updateRun(runId, ['queued', 'running'], change);
  if (closed === null) return false;
  await announceRun(closed, ports);
  return true;
}
