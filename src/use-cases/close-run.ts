import type { RunRecord } from '../core/schemas/registry.ts';
import type { DeployedPorts } from './deployed.ts';

/** A run that cannot go on gets its gate: `error`, or `cancelled` when somebody asked for that. False: it had one already. */
export async function closeWithError(
  runId: string,
  message: string,
  { registry, clock }: Pick<DeployedPorts, 'registry' | 'clock'>,
): Promise<boolean> {
  const run = await registry.getRun(runId);
  const status = run?.cancel_requested === true ? 'cancelled' : 'error';
  const change: Partial<RunRecord> = { status, message, finished_at: new Date(clock.now()).toISOString() };
  return (await registry.updateRun(runId, ['queued', 'running'], change)) !== null;
}
