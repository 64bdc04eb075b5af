import { addUsage, NO_COST } from '../../core/cost/cost.ts';
import type { Cost, Usage } from '../../core/schemas/answer.ts';
import type { RowResult, SkipCause } from '../../core/schemas/result.ts';
import type { Row } from '../../core/schemas/row.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import { wellFormed } from '../../core/well-formed.ts';
import type { Target, TargetReply } from '../../ports/target.ts';

/** What a result that never ran is of; enough of a task to name it. */
export interface SkippedTask {
  readonly row: Row;
  readonly target: Pick<Target, 'id' | 'model'>;
  readonly trial: number;
  readonly phase?: RowResult['phase'];
}

/** A task that never ran. */
export function skippedResult(task: SkippedTask, run: RunConfig, cause: SkipCause): RowResult {
  return { ...blankResult(task, run), cause };
}

/** Everything that is known before the target was asked; status `skipped`. */
export function blankResult({ row, target, trial, phase = 'main' }: SkippedTask, run: RunConfig): RowResult {
  return {
    run_id: run.run_id,
    project: run.project,
    eval: run.eval.name,
    eval_version: run.eval_version,
    dataset: run.dataset.id,
    dataset_version: run.dataset.version,
    ref: run.ref,
    sha: run.sha,
    started_at: run.started_at,
    row_id: row.id,
    index: row.index,
    cluster: row.cluster,
    tags: row.tags,
    difficulty: row.difficulty,
    target: target.id,
    target_model: target.model,
    trial,
    phase,
    status: 'skipped',
    cause: null,
    passed: false,
    score: null,
    latency_ms: null,
    attempts: 0,
    cost_target_usd: null,
    cost_judge_usd: null,
    tokens_in: null,
    tokens_out: null,
    judge_hash: run.judge_hash,
    input: wellFormed(row.input),
    expected: wellFormed(row.expected),
    output: null,
    contexts: row.contexts,
    trajectory: null,
    scores: {},
    failed_checks: [],
    metadata: row.metadata,
    error: null,
    spend: { target: NO_COST, judge: NO_COST, target_usage: null, judge_usage: null, judge_calls: 0 },
    warnings: [],
  };
}

/** What the target said, as results keep it. */
export function answerFields(
  reply: TargetReply,
  row: Row,
): Pick<RowResult, 'output' | 'contexts' | 'trajectory' | 'latency_ms' | 'attempts'> {
  const answer = reply.answer;
  return {
    output: wellFormed(answer?.text ?? null),
    contexts: wellFormed(answer?.contexts ?? row.contexts),
    trajectory: answer?.trajectory === undefined ? null : wellFormed(answer.trajectory),
    latency_ms: reply.latencyMs,
    attempts: reply.attempts,
  };
}

export interface JudgeSpend {
  readonly usage: Usage | null;
  readonly cost: Cost;
  readonly calls: number;
}

/** What target and judge took, apart and together. */
export function spendFields(
  reply: TargetReply,
  judged: JudgeSpend,
): Pick<RowResult, 'cost_target_usd' | 'cost_judge_usd' | 'tokens_in' | 'tokens_out' | 'spend'> {
  const usage = addUsage(reply.usage, judged.usage);
  return {
    cost_target_usd: usdOf(reply.cost),
    cost_judge_usd: usdOf(judged.cost),
    tokens_in: usage === null ? null : usage.input + usage.cache_read + usage.cache_write,
    tokens_out: usage?.output ?? null,
    spend: {
      target: reply.cost,
      judge: judged.cost,
      target_usage: reply.usage,
      judge_usage: judged.usage,
      judge_calls: judged.calls,
    },
  };
}

/** Dollars, where they are known. */
export const usdOf = (cost: Cost): number | null => (cost.status === 'metered' ? cost.usd : null);
