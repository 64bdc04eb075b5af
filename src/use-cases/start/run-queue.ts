import { AssayError } from '../../core/errors.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import type { RunSlots, SlotLimits, SlotState } from '../../ports/run-slots.ts';
import type { Workflow } from '../../ports/workflow.ts';
import { type DeployedPorts, isFinal } from '../deployed.ts';

/** Of projects that set none of their own. */
export interface RunLimits {
  /** Runs of a project that may be under way at once; null: any number. */
  readonly maxConcurrentRuns: number | null;
  /** A call is refused while so many runs of its project wait. */
  readonly maxQueuedRuns: number;
}

export type QueuePorts = Pick<DeployedPorts, 'registry' | 'slots'> & {
  readonly workflow: Workflow;
  readonly runLimits: RunLimits;
};

/** As many runs of the project wait as may. Nothing was started; the same call may succeed later. */
export class QueueFullError extends AssayError {
  override readonly name = 'QueueFullError';
}

/**
 * Takes slots or places for the runs of one call, before they exist, so that a call that is refused leaves nothing.
 * Throws QueueFullError.
 */
export async function enterQueue(project: string, runIds: readonly string[], ports: QueuePorts): Promise<void> {
  const limits = await limitsOf(project, ports);
  if (await ports.slots.enter(project, runIds, limits)) return;
  throw new QueueFullError(
    `${limits.maxWaiting} runs of project "${project}" wait already, as many as may (${limits.maxActive} run at once); ` +
      'send it again later, or cancel runs that wait',
  );
}

/**
 * Starts those of the runs that have a slot, and lets the others wait their turn. Repeatable: it also mends what a crash
 * left between a slot and its execution.
 */
export async function startRuns(project: string, runIds: readonly string[], ports: QueuePorts): Promise<void> {
  const runs = await Promise.all(runIds.map((runId) => ports.registry.getRun(runId)));
  const pending = runs.filter((run) => run !== null).filter((run) => run.execution === null && !isFinal(run));
  if (pending.length === 0) return;
  const before = await ports.slots.read(project);
  const outside = pending.filter(({ run_id }) => !holds(before, run_id)).map(({ run_id }) => run_id);
  if (outside.length > 0) await enterQueue(project, outside, ports);
  const { active, waiting } = outside.length > 0 ? await ports.slots.read(project) : before;
  for (const run of pending) if (active.includes(run.run_id)) await startRun(run, ports);
  // A slot may have been freed before these had queued. Whoever queues later looks for itself.
  if (waiting.length > 0) await startWaiting(project, ports);
}

/** Starts runs that wait while slots are free; those that were started, in their order. */
export async function startWaiting(project: string, ports: QueuePorts): Promise<readonly string[]> {
  const { maxActive } = await limitsOf(project, ports);
  const started: string[] = [];
  for (;;) {
    const runId = await ports.slots.admitNext(project, maxActive);
    if (runId === null) return started;
    const run = await ports.registry.getRun(runId);
    // Its call has its place and is about to write it: that call starts it, and the sweep frees what never came.
    if (run === null) continue;
    if (isFinal(run)) await ports.slots.free(project, runId);
    else if (run.execution === null) {
      await startRun(run, ports);
      started.push(runId);
    }
  }
}

/** Starting twice gives the same execution. */
export async function startRun(
  { run_id, project }: RunRecord,
  { registry, workflow }: Pick<QueuePorts, 'registry' | 'workflow'>,
): Promise<void> {
  const { execution } = await workflow.start(run_id, { run_id, project });
  await registry.updateRun(run_id, ['queued', 'running'], { execution });
}

/** Limits of one project: its own, else the stage's. */
export async function limitsOf(
  project: string,
  { registry, runLimits }: Pick<QueuePorts, 'registry' | 'runLimits'>,
): Promise<SlotLimits> {
  const own = (await registry.getProject(project))?.max_concurrent_runs;
  return { maxActive: own ?? runLimits.maxConcurrentRuns, maxWaiting: runLimits.maxQueuedRuns };
}

/** What a run waits for, for people; null: it does not wait. */
export async function waitingText(
  run: RunRecord,
  ports: Pick<QueuePorts, 'registry' | 'runLimits'> & { readonly slots: RunSlots },
): Promise<string | null> {
  if (run.status !== 'queued' || run.execution !== null) return null;
  const { active, waiting } = await ports.slots.read(run.project);
  const ahead = waiting.indexOf(run.run_id);
  if (ahead < 0) return null;
  const { maxActive } = await limitsOf(run.project, ports);
  const limit = maxActive === null ? '' : ` of ${maxActive}`;
  const before = ahead === 0 ? '' : `, ${ahead} before it in the queue`;
  return `waiting for a free slot (${active.length}${limit} runs active${before})`;
}

export function holds({ active, waiting }: SlotState, runId: string): boolean {
  return active.includes(runId) || waiting.includes(runId);
}
