import type { RunRecord } from '../../core/schemas/registry.ts';
import type { RunSlots } from '../../ports/run-slots.ts';
import { announceRun } from '../end/announce-run.ts';
import type { ClosingPorts } from '../end/close-run.ts';
import { ConflictError, NotFoundError } from './errors.ts';

/**
 * A run that has not begun is cancelled at once; one under way stops within the batches in flight and is then
 * aggregated as cancelled. Asked again, it says the same. Throws NotFoundError, ConflictError when it has its verdict.
 */
export async function cancelRun(runId: string, ports: ClosingPorts & { readonly slots: RunSlots }): Promise<RunRecord> {
  const { registry, clock, slots } = ports;
  const cancelled = await registry.updateRun(runId, ['queued'], {
    status: 'cancelled',
    cancel_requested: true,
    message: 'cancelled before it began',
    finished_at: new Date(clock.now()).toISOString(),
    announce_pending: true,
  });
  if (cancelled !== null) {
    // A slot it may have is given back when its execution, which is about to start, has ended.
    await slots.leaveQueue(cancelled.project, runId);
    await announceRun(cancelled, ports);
    return cancelled;
  }
  const stopping = await registry.updateRun(runId, ['running'], { cancel_requested: true });
  if (stopping !== null) return stopping;
  const run = await registry.getRun(runId);
  if (run === null) throw new NotFoundError(`there is no run "${runId}"`);
  if (run.status === 'cancelled') return run;
  throw new ConflictError('run-finished', `run "${runId}" is over: ${run.status}`);
}
