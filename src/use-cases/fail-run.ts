import type { Registry } from '../ports/registry.ts';
import { closeWithError } from './close-run.ts';
import { type DeployedPorts, isFinal } from './deployed.ts';

export interface FailRunRequest {
  readonly runId: string;
  /** FAILED, TIMED_OUT or ABORTED. */
  readonly status: string;
  /** What the workflow said of it. */
  readonly cause: string;
}

const WORDS: Readonly<Record<string, string>> = {
  FAILED: 'the workflow failed',
  TIMED_OUT: 'the workflow ran out of time',
  ABORTED: 'the workflow was aborted',
};

/** A broken execution still gives its run a gate. A run that has one keeps it. */
export async function failRun(
  { runId, status, cause }: FailRunRequest,
  ports: Pick<DeployedPorts, 'registry' | 'clock'>,
): Promise<{ closed: boolean }> {
  const message = `${WORDS[status] ?? `the workflow ended as ${status}`}${cause === '' ? '' : `: ${cause}`}`;
  return { closed: await closeWithError(runId, message, ports) };
}

/** A redrive is attempt n + 1 of the same run: the gate of the failed attempt is kept beside it, the run is open again. */
export async function reopenForRedrive(runId: string, registry: Registry): Promise<boolean> {
  const run = await registry.getRun(runId);
  if (run === null || !isFinal(run)) return false;
  const earlier = [...run.earlier, { attempt: run.attempt, status: run.status, message: run.message }];
  const change = {
    status: 'running',
    message: '',
    finished_at: null,
    decision: null,
    attempt: run.attempt + 1,
    earlier,
  } as const;
  return (await registry.updateRun(runId, ['error'], change)) !== null;
}
