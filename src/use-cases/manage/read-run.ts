import { readText } from '../../core/read-text.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import { type RunSummary, RunSummarySchema } from '../../core/schemas/summary.ts';
import { type DeployedPorts, isFinal } from '../deployed.ts';
import { type QueuePorts, waitingText } from '../start/run-queue.ts';

const MOST_IDS = 1_000;

export type RunView = Readonly<Record<string, unknown>> & {
  readonly run_id: string;
  readonly status: RunRecord['status'];
  readonly gate: 'pending' | 'pass' | 'fail' | 'error';
};

/** A finished run is its summary; one that is under way, or broke before it had one, its record with the progress. */
export async function readRun(
  runId: string,
  ports: Pick<DeployedPorts, 'registry' | 'runs' | 'slots'> & Pick<QueuePorts, 'runLimits'>,
): Promise<RunView | null> {
  const run = await ports.registry.getRun(runId);
  if (run === null) return null;
  const summary = isFinal(run) ? await readSummary(run, ports) : null;
  const counters = await ports.registry.getCounters(runId);
  const waits = await waitingText(run, ports);
  const { execution: _, announce_pending: __, ...record } = run;
  return {
    ...record,
    ...(waits === null ? null : { message: waits }),
    ...(summary === null ? null : withShortLists(summary)),
    gate: gateOf(run.status),
    progress: { done: counters.done, total: run.total },
    counters,
  };
}

/** The record decides: a summary of another verdict is one of an earlier attempt; one that does not parse, of an earlier version of Assay. */
export async function readSummary(run: RunRecord, ports: Pick<DeployedPorts, 'runs'>): Promise<RunSummary | null> {
  const chunks = await ports.runs(run.project).read(run.run_id, 'summary.json');
  if (chunks === null) return null;
  const { success, data } = RunSummarySchema.safeParse(JSON.parse(await readText(chunks)));
  return success && data.status === run.status ? data : null;
}

/** A baseline of a million rows that all went would be more than an answer may hold. */
function withShortLists(summary: RunSummary): RunSummary {
  if (summary.baseline === null) return summary;
  const warnings = [...summary.warnings];
  const baseline = Object.entries(summary.baseline).map(([name, value]) => {
    if (!Array.isArray(value) || value.length <= MOST_IDS) return [name, value];
    warnings.push(`baseline.${name}: ${MOST_IDS} of ${value.length} shown here; summary.json has all`);
    return [name, value.slice(0, MOST_IDS)];
  });
  return { ...summary, baseline: Object.fromEntries(baseline), warnings };
}

export function gateOf(status: RunRecord['status']): RunView['gate'] {
  if (status === 'queued' || status === 'running') return 'pending';
  if (status === 'passed') return 'pass';
  return status === 'failed' ? 'fail' : 'error';
}
