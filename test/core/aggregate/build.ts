import type { Cost } from '../../../src/core/schemas/answer.ts';
import type { EvalConfig, EvalFile } from '../../../src/core/schemas/eval.ts';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import type { RunConfig } from '../../../src/core/schemas/run.ts';
import { type Score, scored } from '../../../src/core/schemas/score.ts';
import { resolvePolicy } from '../../../src/core/scoring/policy.ts';
import { makeResult } from '../../fixtures/results.ts';
import { evalConfig, spec, target } from '../scoring/build.ts';

export const RUN_ID = 'r-00000000000000000000000000';

interface RunSetup {
  readonly type?: EvalFile['type'];
  readonly rows: number;
  readonly targets?: readonly string[];
  readonly eval?: Partial<EvalConfig>;
  readonly run?: Partial<RunConfig>;
}

/** A metrics run with the mark 0.8, unless overridden. */
export function runConfig({
  type = 'metrics',
  rows,
  targets = ['http'],
  eval: overrides = {},
  run = {},
}: RunSetup): RunConfig {
  const settled = evalConfig({
    type,
    metrics: type === 'metrics' ? ['correctness', 'relevance'] : [],
    scorers: type === 'metrics' ? [] : [spec('contains'), spec('judge')],
    targets: targets.map((id) => target(id)),
    ...overrides,
  });
  return {
    run_id: RUN_ID,
    project: 'demo',
    eval_version: 1,
    config_hash: 'c',
    policy: resolvePolicy(settled),
    judge_hash: 'j',
    target_hash: 't',
    eval: settled,
    dataset: { id: 'rows', version: 'v1', rows, without_input: 0 },
    rows,
    started_at: '2025-01-01T00:00:00.000Z',
    ref: null,
    sha: null,
    triggered_by: null,
    warnings: [],
    ...run,
  };
}

const METERED: Cost = { status: 'metered', usd: 0.001 };

/** A result that scored; `score` decides whether it passed at the mark 0.8. */
export function result(index: number, score: number, fields: Partial<RowResult> = {}): RowResult {
  return makeResult({
    run_id: RUN_ID,
    project: 'demo',
    eval: 'test',
    eval_version: 1,
    dataset: 'rows',
    started_at: '2025-01-01T00:00:00.000Z',
    index,
    passed: score >= 0.8,
    score,
    cost_target_usd: 0.001,
    cost_judge_usd: 0.001,
    tokens_in: 10,
    tokens_out: 5,
    judge_hash: 'j',
    expected: null,
    output: 'answer',
    scores: metricScores({ correctness: score, relevance: score }),
    spend: {
      target: METERED,
      judge: METERED,
      target_usage: { input: 10, output: 5, cache_read: 0, cache_write: 0 },
      judge_usage: { input: 20, output: 2, cache_read: 0, cache_write: 0 },
      judge_calls: 1,
    },
    ...fields,
  });
}

export function metricScores(values: Record<string, number>): Record<string, Score> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, scored(value, 'because')]));
}

const NOTHING_SPENT: RowResult['spend'] = {
  target: { status: 'metered', usd: 0 },
  judge: { status: 'metered', usd: 0 },
  target_usage: null,
  judge_usage: null,
  judge_calls: 0,
};

export function targetError(index: number, fields: Partial<RowResult> = {}): RowResult {
  return result(index, 0, {
    status: 'target_error',
    cause: 'connection',
    passed: false,
    latency_ms: null,
    output: null,
    scores: {},
    error: 'connection refused',
    spend: NOTHING_SPENT,
    ...fields,
  });
}

export function judgeError(index: number, fields: Partial<RowResult> = {}): RowResult {
  return result(index, 0, {
    status: 'judge_error',
    cause: 'unparsable',
    passed: false,
    score: null,
    scores: {},
    ...fields,
  });
}

export function skipped(index: number, cause: string, fields: Partial<RowResult> = {}): RowResult {
  return result(index, 0, {
    status: 'skipped',
    cause,
    passed: false,
    score: null,
    latency_ms: null,
    attempts: 0,
    output: null,
    scores: {},
    spend: NOTHING_SPENT,
    ...fields,
  });
}

/** JSONL in chunks of a few bytes, so that lines are cut anywhere. */
export async function* chunksOf(items: readonly unknown[], chunkBytes = 1000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''), 'utf8');
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}
