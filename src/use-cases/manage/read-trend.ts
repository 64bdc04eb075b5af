import type { RunRecord } from '../../core/schemas/registry.ts';
import type { Registry } from '../../ports/registry.ts';
import { gateOf } from './read-run.ts';

export interface TrendPoint {
  readonly run_id: string;
  readonly status: RunRecord['status'];
  readonly gate: ReturnType<typeof gateOf>;
  readonly score: number | null;
  readonly pass_rate: number | null;
  readonly eval_version: number;
  readonly ref: string | null;
  readonly sha: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
}

/** The last runs of an eval, newest first. */
export async function readTrend(
  request: { project: string; eval: string; last: number },
  { registry }: { registry: Registry },
): Promise<readonly TrendPoint[]> {
  const { items } = await registry.listRuns(request.project, request.eval, { limit: request.last });
  return items.map((run) => ({
    run_id: run.run_id,
    status: run.status,
    gate: gateOf(run.status),
    score: run.score,
    pass_rate: run.pass_rate,
    eval_version: run.eval_version,
    ref: run.ref,
    sha: run.sha,
    started_at: run.started_at,
    finished_at: run.finished_at,
  }));
}
