import type { RunRecord } from '../core/schemas/registry.ts';
import type { ExecutionStatus, Workflow } from '../ports/workflow.ts';
import { closeWithError } from './close-run.ts';
import type { DeployedPorts } from './deployed.ts';

/** A run without an execution for this long was never started: its webhook call died on the way. */
const NEVER_STARTED_MS = 10 * 60_000;

export interface SweepReport {
  readonly open: number;
  /** Runs that got their gate now. */
  readonly closed: readonly string[];
}

/** Catches what the status-change event missed: no run stays pending when its execution is gone. */
export async function sweepRuns(
  ports: Pick<DeployedPorts, 'registry' | 'clock'> & { workflow: Workflow },
): Promise<SweepReport> {
  const open = await ports.registry.listOpenRuns();
  const closed: string[] = [];
  for (const run of open) {
    const cause = await deadCause(run, ports);
    if (cause !== null && (await closeWithError(run.run_id, cause, ports))) closed.push(run.run_id);
  }
  return { open: open.length, closed };
}

async function deadCause(
  run: RunRecord,
  { workflow, clock }: { workflow: Workflow } & Pick<DeployedPorts, 'clock'>,
): Promise<string | null> {
  // A run that was started and never told knows no execution: by its name it is found all the same.
  const status = await workflow.status(run.execution ?? run.run_id);
  if (status === 'running') return null;
  if (run.execution !== null || status !== 'unknown') return DEAD[status];
  const ageMs = clock.now() - Date.parse(run.started_at);
  return ageMs > NEVER_STARTED_MS ? 'the run was never started; send the webhook again' : null;
}

const DEAD: Readonly<Record<Exclude<ExecutionStatus, 'running'>, string>> = {
  succeeded: 'the workflow ended without a gate',
  failed: 'the workflow failed',
  timed_out: 'the workflow ran out of time',
  aborted: 'the workflow was aborted',
  unknown: 'the workflow execution does not exist any more',
};
