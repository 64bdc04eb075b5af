import type { Workflow } from '../../ports/workflow.ts';
import { type ClosingPorts, closeWithError } from './close-run.ts';

export interface FailRunRequest {
  readonly runId: string;
  /** FAILED, TIMED_OUT or ABORTED. */
  readonly status: string;
  /** What the workflow said of it. */
  readonly cause: string;
}

export type FailRunPorts = ClosingPorts & { readonly workflow: Workflow };

const WORDS: Readonly<Record<string, string>> = {
  FAILED: 'the workflow failed',
  TIMED_OUT: 'the workflow ran out of time',
  ABORTED: 'the workflow was aborted',
};

/** A broken execution still gives its run a gate. A run that has one keeps it, and so does one that runs again by now. */
export async function failRun(
  { runId, status, cause }: FailRunRequest,
  ports: FailRunPorts,
): Promise<{ closed: boolean }> {
  const run = await ports.registry.getRun(runId);
  const runsAgain = run?.execution != null && (await ports.workflow.status(run.execution)) === 'running';
  if (runsAgain) return { closed: false };
  const message = `${WORDS[status] ?? `the workflow ended as ${status}`}${cause === '' ? '' : `: ${cause}`}`;
  return { closed: await closeWithError(runId, message, ports) };
}
