import type { EvalConfig } from '../core/schemas/eval.ts';
import type { RunRecord } from '../core/schemas/registry.ts';
import type { Outcome } from '../core/schemas/result.ts';
import type { RunSummary } from '../core/schemas/summary.ts';

/** Line of the table `runs`; no line feed. */
export function runLine(summary: RunSummary): string {
  const { counts, dataset, latency, cost, baseline, decision } = summary;
  return JSON.stringify({
    ...identityOf(summary),
    type: summary.type,
    dataset: dataset.id,
    dataset_version: dataset.version,
    finished_at: summary.finished_at,
    status: summary.status,
    gate: summary.gate,
    message: summary.message,
    quarantined: summary.quarantined,
    score: summary.score,
    pass_rate: summary.pass_rate,
    coverage: summary.coverage,
    row_count: counts.rows,
    passed_rows: counts.passed,
    failed_rows: counts.failed,
    flaky_rows: counts.flaky,
    results: counts.results,
    scored: counts.scored,
    target_errors: counts.target_error,
    judge_errors: counts.judge_error,
    skipped: counts.skipped,
    p50_ms: latency.p50_ms,
    p95_ms: latency.p95_ms,
    cost_target_usd: cost.target_usd,
    cost_judge_usd: cost.judge_usd,
    judges: summary.judges.map(({ id }) => id),
    judge_hash: summary.judge_hash,
    target_hash: summary.target_hash,
    policy_hash: decision.policy_hash,
    baseline_run_id: baseline?.run_id ?? null,
    regressed_rows: baseline?.regressed.length ?? null,
    fixed_rows: baseline?.fixed.length ?? null,
  });
}

/**
 * Line of the table `runs` for a run that broke or was cancelled before its results were counted: what is known of it,
 * and null for every figure. `config` is the eval it was started with; null where that was deleted.
 */
export function brokenRunLine(run: RunRecord, config: Pick<EvalConfig, 'type' | 'dataset'> | null): string {
  const [dataset = null] = config?.dataset.split('@') ?? [];
  return JSON.stringify({
    run_id: run.run_id,
    project: run.project,
    eval: run.eval,
    ref: run.ref,
    sha: run.sha,
    started_at: run.started_at,
    type: config?.type ?? null,
    dataset,
    dataset_version: null,
    finished_at: run.finished_at,
    status: run.status,
    gate: 'error',
    message: run.message,
    quarantined: run.quarantined,
    score: null,
    pass_rate: null,
    coverage: null,
    row_count: null,
    passed_rows: null,
    failed_rows: null,
    flaky_rows: null,
    results: run.total,
    scored: null,
    target_errors: null,
    judge_errors: null,
    skipped: null,
    p50_ms: null,
    p95_ms: null,
    cost_target_usd: null,
    cost_judge_usd: null,
    judges: null,
    judge_hash: null,
    target_hash: null,
    policy_hash: null,
    baseline_run_id: null,
    regressed_rows: null,
    fixed_rows: null,
  });
}

/** A line of `outcomes.jsonl` → line of the table `row_outcomes`. */
export function rowOutcomeLine(summary: RunSummary, outcomeLine: string): string {
  const outcome = JSON.parse(outcomeLine) as Outcome;
  return JSON.stringify({ ...identityOf(summary), ...outcome });
}

function identityOf({ run_id, project, eval: name, ref, sha, started_at }: RunSummary) {
  return { run_id, project, eval: name, ref, sha, started_at };
}
