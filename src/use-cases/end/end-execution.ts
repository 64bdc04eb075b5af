import { type QueuePorts, startWaiting } from '../start/run-queue.ts';

/**
 * An execution has ended, however: its slot goes to the run that waits first. Not before the execution itself is over,
 * so that no more of them run at once than may. Repeatable; an execution that was redriven meanwhile keeps its slot.
 * `status` is SUCCEEDED, FAILED, TIMED_OUT or ABORTED.
 */
export async function endExecution(
  { runId, status }: { readonly runId: string; readonly status: string },
  ports: QueuePorts,
): Promise<{ started: readonly string[] }> {
  const run = await ports.registry.getRun(runId);
  if (run === null) return { started: [] };
  // What succeeded is never redriven, and most do: nobody need be asked about them.
  const mayRunAgain = status !== 'SUCCEEDED';
  if (mayRunAgain && (await ports.workflow.status(run.execution ?? runId)) === 'running') return { started: [] };
  await ports.slots.free(run.project, runId);
  return { started: await startWaiting(run.project, ports) };
}
