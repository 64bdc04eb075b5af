import type { RunRecord } from '../../core/schemas/registry.ts';
import type { Registry } from '../../ports/registry.ts';
import type { RunSlots } from '../../ports/run-slots.ts';
import type { Workflow } from '../../ports/workflow.ts';

/**
 * A failed execution can be started again where it broke (from the console, the CLI or the API); nobody tells us. A step
 * that finds its run closed with `error` asks once whether the execution runs again: then this is attempt n + 1 of the
 * same run, and the gate of the failed attempt is kept beside it. It counts among the project's active runs, and never waits.
 */
export async function resumeIfRedriven(
  run: RunRecord,
  ports: { registry: Registry; workflow: Workflow; slots: RunSlots },
): Promise<RunRecord> {
  // A run with a decision was closed by its own aggregate step: a repetition of that step is no redrive.
  if (run.status !== 'error' || run.decision !== null || run.execution === null) return run;
  if ((await ports.workflow.status(run.execution)) !== 'running') return run;
  const earlier = [...run.earlier, { attempt: run.attempt, status: run.status, message: run.message }];
  const change = {
    status: 'running',
    message: '',
    finished_at: null,
    decision: null,
    announce_pending: false,
    attempt: run.attempt + 1,
    earlier,
  } as const;
  // Another step of the same redrive may have been first: what counts is what stands there now.
  await ports.slots.take(run.project, run.run_id);
  const reopened = await ports.registry.updateRun(run.run_id, ['error'], change);
  return reopened ?? (await ports.registry.getRun(run.run_id)) ?? run;
}
