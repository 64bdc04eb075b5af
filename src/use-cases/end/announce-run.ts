import { brokenRunLine } from '../../analytics/table-lines.ts';
import { runFinishedEvent } from '../../core/run-finished/run-finished.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import type { RunEvents } from '../../ports/run-events.ts';
import type { DeployedPorts } from '../deployed.ts';

export type AnnouncePorts = Pick<DeployedPorts, 'registry' | 'parts'> & { readonly events: RunEvents };

/**
 * Tells that a run is over: its line in the table `runs`, where no aggregation wrote one, then the event. The mark of the
 * run goes last, so that what a crash or an outage leaves untold is told by the next sweep: at least once, never not at
 * all. Whatever fails here changes nothing about the gate, which stands. False: it is still to be told.
 */
export async function announceRun(run: RunRecord, { registry, parts, events }: AnnouncePorts): Promise<boolean> {
  if (run.announce_pending !== true) return true;
  try {
    if (run.decision === null) await writeBrokenRun(run, { registry, parts });
    await events.runFinished(runFinishedEvent(run, events.stage));
    await registry.markAnnounced(run.run_id, run.attempt);
    return true;
  } catch (error) {
    events.notTold(run.run_id, error);
    return false;
  }
}

async function writeBrokenRun(
  run: RunRecord,
  { registry, parts }: Pick<DeployedPorts, 'registry' | 'parts'>,
): Promise<void> {
  const version = await registry.getEval(run.project, run.eval, run.eval_version);
  const line = brokenRunLine(run, version?.config ?? null);
  await parts.writeTable({ runId: run.run_id, project: run.project, startedAt: run.started_at }, 'runs', [line]);
}
