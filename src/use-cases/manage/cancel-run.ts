import type { RunRecord } from '../../core/schemas/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Registry } from '../../ports/registry.ts';
import { ConflictError, NotFoundError } from './errors.ts';

/**
 * A run that has not begun is cancelled at once; one under way stops within the batches in flight and is then
 * aggregated as cancelled. Asked again, it says the same. Throws NotFoundError, ConflictError when it has its verdict.
 */
export async function cancelRun(
  runId: string,
  { registry, clock }: { registry: Registry; clock: Clock },
): Promise<RunRecord> {
  const cancelled = await registry.updateRun(runId, ['queued'], {
    status: 'cancelled',
    cancel_requested: true,
    message: 'cancelled before it began',
    finished_at: new Date(clock.now()).toISOString(),
  });
  const stopping = cancelled ?? (await registry.updateRun(runId, ['running'], { cancel_requested: true }));
  if (stopping !== null) return stopping;
  const run = await registry.getRun(runId);
  if (run === null) throw new NotFoundError(`there is no run "${runId}"`);
  if (run.status === 'cancelled') return run;
  throw new ConflictError('run-finished', `run "${runId}" is over: ${run.status}`);
}
