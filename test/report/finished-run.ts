import type { RowResult } from '../../src/core/schemas/result.ts';
import type { RunConfig } from '../../src/core/schemas/run.ts';
import { scored } from '../../src/core/schemas/score.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';

const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

/** A passing run of four rows; tests change what they are about. */
export function finishedRun(changes: Partial<RunSummary> = {}): RunSummary {
  return {
    run_id: 'r-01HZZZZZZZZZZZZZZZZZZZZZZZ',
    project: 'demo',
    eval: 'support-faq',
    description: 'Answers the top questions.',
    type: 'metrics',
    dataset: { id: 'faq', version: 'abcdef0123456789', rows: 4, without_input: 0 },
    judges: [{ id: 'judge', type: 'bedrock', model: 'nova-lite', is_model: true }],
    judge_hash: 'j'.repeat(64),
    target_hash: 't'.repeat(64),
    status: 'passed',
    gate: 'pass',
    message: '4 of 4 rows passed',
    decision: {
      outcome: 'pass',
      policy_hash: 'p'.repeat(64),
      reasons: [{ rule: 'min_score', outcome: 'pass', text: 'score 0.9 is at least 0.80', actual: 0.9, limit: 0.8 }],
    },
    warnings: [],
    score: 0.9,
    pass_rate: 1,
    pass_rate_ci95: [0.51, 1],
    score_ci95: [0.85, 0.95],
    coverage: 1,
    counts: {
      rows: 4,
      passed: 4,
      failed: 0,
      flaky: 0,
      results: 4,
      scored: 4,
      target_error: 0,
      judge_error: 0,
      skipped: 0,
    },
    skipped_by_cause: {},
    metrics: { correctness: { mean: 0.9, n: 4, unscored: 0, ci95: [0.85, 0.95] } },
    targets: [],
    latency: { p50_ms: 800, p95_ms: 1400, n: 40, timeouts: 0 },
    cost: {
      total_usd: 0.0123,
      target_usd: null,
      judge_usd: 0.0123,
      not_metered: ['http'],
      unknown: [],
      tokens: { target: usage, judge: { ...usage, input: 1000, output: 200 } },
    },
    tags: {},
    baseline: null,
    quarantined: false,
    ref: 'refs/heads/main',
    sha: '0123456789abcdef0123456789abcdef01234567',
    started_at: '2026-01-31T14:05:00.000Z',
    finished_at: '2026-01-31T14:06:05.000Z',
    stopped: null,
    ...changes,
  };
}

export function runConfig(policy: Partial<RunConfig['policy']> = {}): RunConfig {
  const evalConfig = { thresholds: {}, latency_budget_ms: undefined } as unknown as RunConfig['eval'];
  return {
    run_id: 'r-01HZZZZZZZZZZZZZZZZZZZZZZZ',
    project: 'demo',
    eval_version: 1,
    config_hash: 'c'.repeat(64),
    policy: {
      type: 'metrics',
      row_mark: 0.8,
      pass_rate: null,
      min_score: 0.8,
      fail_on_regression: false,
      max_score_drop: null,
      max_mean_score_drop: null,
      same_rows_only: false,
      max_cost_usd: null,
      max_p95_latency_ms: null,
      min_coverage: 0.9,
      require_baseline: false,
      strict_baseline: false,
      metric_floors: {},
      veto: [],
      trial_policy: 'all',
      decide_by: 'point',
      margin: null,
      on_inconclusive: 'fail',
      ...policy,
    },
    judge_hash: null,
    target_hash: 't'.repeat(64),
    eval: evalConfig,
    dataset: { id: 'faq', version: 'abcdef0123456789', rows: 4, without_input: 0 },
    rows: 4,
    started_at: '2026-01-31T14:05:00.000Z',
    ref: null,
    sha: null,
    triggered_by: null,
    warnings: [],
  };
}

/** A scored, passing result; tests change what they are about. */
export function rowResult(changes: Partial<RowResult> = {}): RowResult {
  return {
    run_id: 'r-01HZZZZZZZZZZZZZZZZZZZZZZZ',
    project: 'demo',
    eval: 'support-faq',
    eval_version: 1,
    dataset: 'faq',
    dataset_version: 'abcdef0123456789',
    ref: null,
    sha: null,
    started_at: '2026-01-31T14:05:01.000Z',
    row_id: 'row-1',
    index: 0,
    cluster: null,
    tags: [],
    difficulty: null,
    target: 'http',
    target_model: null,
    trial: 0,
    phase: 'main',
    status: 'scored',
    cause: null,
    passed: true,
    score: 0.9,
    latency_ms: 812,
    attempts: 1,
    cost_target_usd: null,
    cost_judge_usd: 0.0002,
    tokens_in: 100,
    tokens_out: 20,
    judge_hash: null,
    input: 'How do I reset my password?',
    expected: 'Use the reset link.',
    output: 'Open the sign-in page and use the reset link.',
    contexts: null,
    trajectory: null,
    scores: { correctness: scored(0.9, 'Names the reset link.') },
    failed_checks: [],
    metadata: {},
    error: null,
    spend: {
      target: { status: 'not_metered' },
      judge: { status: 'metered', usd: 0.0002 },
      target_usage: null,
      judge_usage: null,
      judge_calls: 1,
    },
    warnings: [],
    ...changes,
  };
}

export async function* streamOf<T>(...items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

export async function collect(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}
