import type { CanaryReport } from '../../core/schemas/canaries.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RunEnvironment } from '../../ports/environment.ts';
import type { DeployedPorts } from '../deployed.ts';
import { checkJudge, compromised, plantedFailures } from '../judge/check-judge.ts';
import { NO_COUNTERS } from './batch-counters.ts';
import type { RowSpending } from './row-spending.ts';
import { RunGuard } from './run-guard.ts';

export interface GuardedBatch {
  readonly run: RunRecord;
  readonly config: RunConfig;
  readonly environment: RunEnvironment;
  readonly phase: RowResult['phase'];
}

type Ports = Pick<DeployedPorts, 'registry' | 'clock'>;

/** Counters of the planted answers, which have no part. */
const PLANTED_COUNTERS = 100_000_000;

/** The guard of one batch, which goes on where the run's counters and the batch's earlier delivery are. */
export async function openBatchGuard(
  { run, config, environment, phase }: GuardedBatch,
  earlier: readonly RowResult[],
  { registry, clock }: Ports,
): Promise<RunGuard> {
  const counters = await registry.getCounters(run.run_id);
  const ids = environment.targets.map((target) => target.id);
  const answered = counters.scored + counters.judge_error > 0;
  const guard = new RunGuard(
    ids,
    { deadlineMs: deadlineOf(run, config, clock) },
    {
      // One target: counters tell. With several, each batch probes each target for itself.
      answeredTargets: phase === 'confirm' || (answered && ids.length === 1) ? ids : [],
      graded: counters.scored > 0,
      judgeFailures: counters.judge_error,
    },
  );
  // Judge failures are in the counters already; what a target did in this batch is not.
  for (const result of earlier) if (result.status !== 'judge_error') guard.note(result);
  return guard;
}

/** End of the run's time budget on this machine's monotonic clock, in ms. */
export function deadlineOf(run: RunRecord, config: RunConfig, clock: Clock): number {
  const elapsedMs = clock.now() - Date.parse(run.began_at ?? run.started_at);
  return clock.monotonicMs() + config.eval.time_budget_s * 1000 - elapsedMs;
}

/**
 * For the probe, and for the Map's first batch, which finds what the probe was told. A compromised judge stops the run, and
 * so does a cap that has no room for the planted answers.
 */
export async function checkJudgeOnce(
  { run, config, environment }: GuardedBatch,
  guard: RunGuard,
  spending: RowSpending | null,
  { registry }: Ports,
): Promise<void> {
  const report = run.canaries ?? (await askPlanted(config, environment, guard, spending));
  if (report === null) return;
  const { usd, ...planted } = plantedFailures(report, environment.judges.length);
  await registry.putBatchCounters(run.run_id, PLANTED_COUNTERS, { ...NO_COUNTERS, cost_usd: usd });
  await registry.updateRun(run.run_id, ['queued', 'running'], { canaries: report });
  guard.notePlanted(planted);
  const why = compromised(report);
  if (why !== null) guard.stop('judge compromised', why);
}

/** Null: none are planted, or there is no money for them. */
async function askPlanted(
  config: RunConfig,
  environment: RunEnvironment,
  guard: RunGuard,
  spending: RowSpending | null,
): Promise<CanaryReport | null> {
  const ask = () => checkJudge(config, { ...environment, signal: new AbortController().signal });
  if (spending === null) return ask();
  const asked = await spending.forCanaries(ask);
  if (asked === 'refused') guard.stop('cost cap', spending.why);
  return asked === 'refused' ? null : asked;
}
