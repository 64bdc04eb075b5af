import type { EvalConfig } from '../schemas/eval.ts';
import type { Quota } from './quota-bound.ts';
import type { RunPlan } from './run-plan.ts';

/** What a person should know before the run is started. `dearestUsd`: the most that one answer and its verdicts can cost. */
export function planWarnings(
  config: EvalConfig,
  { rows, cost: { high_usd: highUsd }, time: { seconds } }: Pick<RunPlan, 'rows' | 'cost' | 'time'>,
  dearestUsd: number,
): string[] {
  const warnings: string[] = [];
  if (rows === 0) warnings.push('the dataset has no rows with an input');
  const cap = config.max_cost_usd_hard;
  if (cap !== undefined && dearestUsd > cap) {
    const most = dearestUsd.toFixed(4);
    warnings.push(
      `one row may cost up to $${most}, more than max_cost_usd_hard ($${cap}): such a row would not be started`,
    );
  } else if (cap !== undefined && highUsd !== null && highUsd > cap) {
    warnings.push(`the run may cost more than max_cost_usd_hard ($${cap}): it would stop there and not pass`);
  }
  if (seconds > config.time_budget_s) {
    warnings.push(`the run takes longer than time_budget_s (${config.time_budget_s}): rows would be skipped`);
  }
  if (config.confirm_trials > 0) {
    warnings.push(`rows that flip are asked up to ${config.confirm_trials} times more, which is not in these numbers`);
  }
  if (config.targets.some((target) => 'contexts_path' in target && target.contexts_path !== undefined)) {
    warnings.push('passages that the target brings are not in the tokens of the judge');
  }
  return warnings;
}

/** The time is that without the quota; `perRow` answers make a row. */
export function quotaWarnings(
  given: Quota,
  quota: RunPlan['quota'],
  { seconds, seconds_an_answer }: RunPlan['time'],
  perRow: number,
): string[] {
  if (quota === null) {
    const isGiven = given.rpm !== undefined || given.tpm !== undefined;
    return isGiven ? ['the quota bounds nothing: no model judges rows of this eval'] : [];
  }
  if (!quota.is_the_bound) return [];
  const enough = Math.max(1, Math.floor((quota.rows_per_minute / 60) * perRow * seconds_an_answer));
  return [
    `the quota of ${quota.model} is the bound: ${Math.ceil(quota.seconds)} s, where the concurrency would take ${Math.ceil(seconds)} s; more than about ${enough} at once would only be throttled`,
  ];
}
