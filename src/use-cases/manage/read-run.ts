import type { RunRecord } from '../../core/schemas/registry.ts';
import { type RunSummary, RunSummarySchema } from '../../core/schemas/summary.ts';
import { type DeployedPorts, isFinal, readText } from '../deployed.ts';

export type RunView = Readonly<Record<string, unknown>> & {
  readonly run_id: string;
  readonly status: RunRecord['status'];
  readonly gate: 'pending' | 'pass' | 'fail' | 'error';
};

/** A finished run is its summary; one that is under way, or broke before it had one, its record with the progress. */
export async function readRun(runId: string, ports: Pick<DeployedPorts, 'registry' | 'runs'>): Promise<RunView | null> {
  const run = await ports.registry.getRun(runId);
  if (run === null) return null;
  const summary = isFinal(run) ? await readSummary(run, ports) : null;
  const counters = await ports.registry.getCounters(runId);
  const { execution: _, ...record } = run;
  return {
    ...record,
    ...summary,
    gate: gateOf(run.status),
    progress: { done: counters.done, total: run.total },
    counters,
  };
}

/** The record decides: a summary of another verdict is one of an earlier attempt; one that does not parse, of an earlier version of Assay. */
async function readSummary(run: RunRecord, ports: Pick<DeployedPorts, 'runs'>): Promise<RunSummary | null> {
  const chunks = await ports.runs(run.project).read(run.run_id, 'summary.json');
  if (chunks === null) return null;
  const { success, data } = RunSummarySchema.safeParse(JSON.parse(await readText(chunks)));
  return success && data.status === run.status ? data : null;
}

export function gateOf(status: RunRecord['status']): RunView['gate'] {
  if (status === 'queued' || status === 'running') return 'pending';
  if (status === 'passed') return 'pass';
  return status === 'failed' ? 'fail' : 'error';
}
