import type { RunRecord } from '../core/schemas/registry.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import type { RunEnvironment } from '../ports/environment.ts';
import { NO_COUNTERS } from './batch-counters.ts';
import { checkJudge, compromised, plantedFailures } from './check-judge.ts';
import type { DeployedPorts } from './deployed.ts';
import { RunGuard } from './run-guard.ts';

export interface GuardedBatch {
  readonly run: RunRecord;
  readonly config: RunConfig;
  readonly environment: RunEnvironment;
  readonly phase: RowResult['phase'];
}

type Ports = Pick<DeployedPorts, 'registry' | 'clock'>;

/** The guard of one batch, which goes on where the run's counters and the batch's earlier delivery are. */
export async function openBatchGuard(
  { run, config, environment, phase }: GuardedBatch,
  earlier: readonly RowResult[],
  { registry, clock }: Ports,
): Promise<RunGuard> {
  const counters = await registry.getCounters(run.run_id);
  const elapsedMs = clock.now() - Date.parse(run.started_at);
  const leftMs = config.eval.time_budget_s * 1000 - elapsedMs;
  const ids = environment.targets.map((target) => target.id);
  const answered = counters.scored + counters.judge_error > 0;
  const guard = new RunGuard(
    ids,
    { deadlineMs: clock.monotonicMs() + leftMs, maxCostUsd: config.eval.max_cost_usd_hard ?? null },
    {
      // One target: counters tell. With several, each batch probes each target for itself.
      answeredTargets: phase === 'confirm' || (answered && ids.length === 1) ? ids : [],
      graded: counters.scored > 0,
      judgeFailures: counters.judge_error,
      spentUsd: counters.cost_usd,
    },
  );
  // Judge failures and money are in the counters already; what a target did in this batch is not.
  for (const result of earlier) {
    if (result.status !== 'judge_error') guard.note({ ...result, cost_target_usd: 0, cost_judge_usd: 0 });
  }
  return guard;
}

/** Counters of the planted answers, which have no part. */
const PLANTED_COUNTERS = 100_000_000;

/** For the probe, and for the Map's first batch, which finds what the probe was told. A compromised judge stops the run. */
export async function checkJudgeOnce(
  { run, config, environment }: GuardedBatch,
  guard: RunGuard,
  { registry }: Ports,
): Promise<void> {
  const known = run.canaries ?? null;
  const report = known ?? (await checkJudge(config, { ...environment, signal: new AbortController().signal }));
  if (report === null) return;
  const { usd, ...planted } = plantedFailures(report, environment.judges.length);
  await registry.putBatchCounters(run.run_id, PLANTED_COUNTERS, { ...NO_COUNTERS, cost_usd: usd });
  await registry.updateRun(run.run_id, ['queued', 'running'], { canaries: report });
  // What is known already is among the counters that this guard has read.
  guard.notePlanted({ ...planted, usd: known === null ? usd : 0 });
  const why = compromised(report);
  if (why !== null) guard.stop('judge compromised', why);
}
