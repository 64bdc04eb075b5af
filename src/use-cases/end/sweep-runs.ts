import { timeOfId } from '../../core/run-id.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import type { SlotState } from '../../ports/run-slots.ts';
import type { ExecutionStatus } from '../../ports/workflow.ts';
import { isFinal } from '../deployed.ts';
import { holds, type QueuePorts, startRun, startWaiting } from '../start/run-queue.ts';
import { announceRun } from './announce-run.ts';
import { type ClosingPorts, closeWithError } from './close-run.ts';

/** A run without an execution for this long was never started: its webhook call died on the way. */
const NEVER_STARTED_MS = 10 * 60_000;
/** Whoever closed a run tells it at once; only what stays untold for this long is told here. */
const UNTOLD_MS = 60_000;
/** So many in a row that cannot be told, and the rest waits for the next sweep: the bus is down. */
const MOST_UNTOLD = 3;

export interface SweepReport {
  readonly open: number;
  /** Runs that got their gate now. */
  readonly closed: readonly string[];
  /** Runs that had waited for a slot, or for their start, and run now. */
  readonly started: readonly string[];
  /** Runs whose end is told now. */
  readonly announced: readonly string[];
  /** What failed on the way; the rest was done all the same. */
  readonly failures: readonly unknown[];
}

export type SweepPorts = ClosingPorts & QueuePorts;

/**
 * Catches what events and calls missed: no run stays pending when its execution is gone, no slot stays taken, no run
 * waits beside a free one, and no end stays untold.
 */
export async function sweepRuns(ports: SweepPorts): Promise<SweepReport> {
  const open = await ports.registry.listOpenRuns();
  const closed: string[] = [];
  const failures: unknown[] = [];
  // One run that cannot be looked after, or one project, keeps nobody else waiting.
  const guarded = (work: () => Promise<unknown>) => work().catch((error: unknown) => void failures.push(error));
  for (const run of open) {
    await guarded(async () => {
      const cause = await deadCause(run, ports);
      if (cause !== null && (await closeWithError(run.run_id, cause, ports))) closed.push(run.run_id);
    });
  }
  const started: string[] = [];
  const projects = await ports.slots.readAll();
  for (const slots of projects) await guarded(() => sweepProject(slots, started, ports));
  return { open: open.length, closed, started, announced: await announceUntold(ports), failures };
}

async function deadCause(run: RunRecord, { workflow, clock, slots }: SweepPorts): Promise<string | null> {
  const waits = run.execution === null && (await slots.read(run.project)).waiting.includes(run.run_id);
  if (waits) return null;
  // A run that was started and never told knows no execution: by its name it is found all the same.
  const status = await workflow.status(run.execution ?? run.run_id);
  if (status === 'running') {
    await countAsActive(run, { workflow, slots });
    return null;
  }
  if (run.execution !== null || status !== 'unknown') return DEAD[status];
  if (clock.now() - Date.parse(run.started_at) <= NEVER_STARTED_MS) return null;
  // It has a slot and is started below.
  if (holds(await slots.read(run.project), run.run_id)) return null;
  return 'the run was never started; send the webhook again';
}

/** A redriven run, or one from before there were slots, counts like the others. */
async function countAsActive(
  { project, run_id, execution }: RunRecord,
  { slots, workflow }: Pick<SweepPorts, 'slots' | 'workflow'>,
): Promise<void> {
  if (holds(await slots.read(project), run_id)) return;
  await slots.take(project, run_id);
  // It may have ended, and given its slot back, in between.
  if ((await workflow.status(execution ?? run_id)) !== 'running') await slots.free(project, run_id);
}

const DEAD: Readonly<Record<Exclude<ExecutionStatus, 'running'>, string>> = {
  succeeded: 'the workflow ended without a gate',
  failed: 'the workflow failed',
  timed_out: 'the workflow ran out of time',
  aborted: 'the workflow was aborted',
  unknown: 'the workflow execution does not exist any more',
};

/** Adds to `started`. */
async function sweepProject(
  { project, active, waiting }: SlotState & { readonly project: string },
  started: string[],
  ports: SweepPorts,
): Promise<void> {
  for (const runId of active) if (await sweepSlot(project, runId, ports)) started.push(runId);
  for (const runId of waiting) {
    const run = await ports.registry.getRun(runId);
    if (run === null ? neverCame(runId, ports) : isFinal(run)) await ports.slots.leaveQueue(project, runId);
  }
  started.push(...(await startWaiting(project, ports)));
}

/** True: the run had its slot and no execution, and has one now. */
async function sweepSlot(project: string, runId: string, ports: SweepPorts): Promise<boolean> {
  const run = await ports.registry.getRun(runId);
  if (run === null) {
    if (neverCame(runId, ports)) await ports.slots.free(project, runId);
    return false;
  }
  if (isFinal(run)) {
    const runs = (await ports.workflow.status(run.execution ?? runId)) === 'running';
    if (!runs) await ports.slots.free(project, runId);
    return false;
  }
  if (run.execution !== null) return false;
  await startRun(run, ports);
  return true;
}

/** A call takes its places just before it writes its runs. */
function neverCame(runId: string, { clock }: SweepPorts): boolean {
  return clock.now() - timeOfId(runId) > NEVER_STARTED_MS;
}

async function announceUntold(ports: SweepPorts): Promise<readonly string[]> {
  const announced: string[] = [];
  let failures = 0;
  for (const run of await ports.registry.listUnannounced()) {
    if (ports.clock.now() - Date.parse(run.finished_at ?? run.started_at) <= UNTOLD_MS) continue;
    if (await announceRun(run, ports)) announced.push(run.run_id);
    else failures += 1;
    if (failures === MOST_UNTOLD) break;
  }
  return announced;
}
