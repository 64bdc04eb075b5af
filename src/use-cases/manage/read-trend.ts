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
  readonly triggered_by: string | null;
  readonly quarantined: boolean;
  readonly message: string;
  readonly started_at: string;
  readonly finished_at: string | null;
}

/** Evals whose runs are read at the same time. */
const AT_ONCE = 16;

/** The last runs of an eval, newest first; the cursor leads to older ones. Throws InvalidCursorError. */
export async function readTrend(
  request: { project: string; eval: string; last: number; cursor?: string },
  { registry }: { registry: Registry },
): Promise<{ items: readonly TrendPoint[]; cursor: string | null }> {
  const { last: limit, cursor: after } = request;
  const { items, cursor } = await registry.listRuns(request.project, request.eval, {
    limit,
    ...(after === undefined ? {} : { cursor: after }),
  });
  return { items: items.map(pointOf), cursor };
}

/** The last runs of each of the evals, by its name: one call for a whole project. */
export async function readTrends(
  request: { project: string; evals: readonly { readonly name: string }[]; last: number },
  ports: { registry: Registry },
): Promise<ReadonlyMap<string, readonly TrendPoint[]>> {
  const { project, evals, last } = request;
  const trends = new Map<string, readonly TrendPoint[]>();
  const left = evals.map(({ name }) => name);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        trends.set(name, (await readTrend({ project, eval: name, last }, ports)).items);
      }
    }),
  );
  return trends;
}

function pointOf(run: RunRecord): TrendPoint {
  return {
    run_id: run.run_id,
    status: run.status,
    gate: gateOf(run.status),
    score: run.score,
    pass_rate: run.pass_rate,
    eval_version: run.eval_version,
    ref: run.ref,
    sha: run.sha,
    triggered_by: run.triggered_by,
    quarantined: run.quarantined,
    message: run.message,
    started_at: run.started_at,
    finished_at: run.finished_at,
  };
}
