import { decideGateRun } from '../../core/gate/gate-run.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import { type QueuePorts, waitingText } from '../start/run-queue.ts';

export interface GateView {
  readonly gate_run_id: string;
  readonly gate: 'pending' | 'pass' | 'fail' | 'error';
  /** Why, one line a run that broke the gate; while pending, one a run that waits for a slot. */
  readonly reasons: readonly string[];
  readonly runs: readonly {
    readonly run_id: string;
    readonly eval: string;
    readonly status: string;
    readonly quarantined: boolean;
    readonly score: number | null;
    readonly pass_rate: number | null;
    readonly message: string;
    readonly decision: RunRecord['decision'];
    readonly attempt: number;
  }[];
  readonly progress: { readonly done: number; readonly total: number };
}

/** The answer CI waits for. Null when there is no such gate run. */
export async function readGate(
  gateRunId: string,
  ports: Pick<QueuePorts, 'registry' | 'slots' | 'runLimits'>,
): Promise<GateView | null> {
  const { registry } = ports;
  const gate = await registry.getGateRun(gateRunId);
  if (gate === null) return null;
  const runs = await Promise.all(gate.run_ids.map((runId) => registry.getRun(runId)));
  const known = runs.filter((run) => run !== null);
  const waits = new Map<string, string>();
  for (const run of known) {
    const text = await waitingText(run, ports);
    if (text !== null) waits.set(run.run_id, text);
  }
  const counters = await Promise.all(known.map(({ run_id }) => registry.getCounters(run_id)));
  // A gate is written after its runs, so a missing one was deleted: that is no pass.
  const missing = gate.run_ids.length - known.length;
  const verdict = decideGateRun([
    ...known,
    ...Array.from({ length: missing }, () => ({ eval: 'a deleted run', status: 'error' as const, quarantined: false })),
  ]);
  const broken = known.filter((run) => !run.quarantined && ['failed', 'error', 'cancelled'].includes(run.status));
  return {
    gate_run_id: gateRunId,
    gate: verdict.gate,
    reasons:
      verdict.gate === 'pending'
        ? known.flatMap((run) => (waits.has(run.run_id) ? [`${run.eval}: ${waits.get(run.run_id)}`] : []))
        : [
            ...broken.map((run) => `${run.eval}: ${run.message}`),
            ...(missing > 0 ? [`${missing} runs were deleted`] : []),
          ],
    runs: known.map((run) => ({
      run_id: run.run_id,
      eval: run.eval,
      status: run.status,
      quarantined: run.quarantined,
      score: run.score,
      pass_rate: run.pass_rate,
      message: waits.get(run.run_id) ?? run.message,
      decision: run.decision,
      attempt: run.attempt,
    })),
    progress: {
      done: counters.reduce((sum, { done }) => sum + done, 0),
      total: known.reduce((sum, { total }) => sum + (total ?? 0), 0),
    },
  };
}
