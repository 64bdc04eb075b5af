import * as z from 'zod';
import { JsonObjectSchema, JsonValueSchema } from '../json.ts';
import { CostSchema, UsageSchema } from './answer.ts';
import { ScoreSchema } from './score.ts';
import { TrajectorySchema } from './trajectory.ts';

export const RESULT_STATUSES = ['scored', 'target_error', 'judge_error', 'skipped'] as const;
export const ResultStatusSchema = z.enum(RESULT_STATUSES);
export type ResultStatus = z.infer<typeof ResultStatusSchema>;

/** Why a result was never evaluated. */
export const SKIP_CAUSES = [
  'time budget',
  'cost cap',
  'cancelled',
  'target down',
  'stopped', // the judge is down, or a guard ended the run
  'judge compromised', // it ruled wrongly on a planted answer
  'lost', // the manifest names it and no result was found
] as const;
export type SkipCause = (typeof SKIP_CAUSES)[number];

/** Why a target gave no answer. Stable words: reports group by them. */
export const TARGET_ERROR_CAUSES = [
  'http-status',
  'timeout',
  'connection',
  'blocked', // the outbound guard refused the address or a redirect
  'path-not-found',
  'not-json',
  'too-large',
  'bad-request', // the row's values cannot be put into the request (CR or LF in a header, …)
  'max-tokens',
  'refused', // content filter or guardrail
  'crashed',
  'no-recorded-answer',
  'throttled',
] as const;
export type TargetErrorCause = (typeof TARGET_ERROR_CAUSES)[number];

export const JUDGE_ERROR_CAUSES = [
  'unparsable',
  'unavailable',
  'throttled',
  'timeout',
  'access-denied',
  'stop-reason',
  'no-recorded-verdict',
  'nothing-applicable',
  'bad-request',
] as const;
export type JudgeErrorCause = (typeof JUDGE_ERROR_CAUSES)[number];

/** One line of `results.jsonl`: one (row, target, trial, phase). Scalars first; they are the columns of the Athena table. */
export const RowResultSchema = z.object({
  run_id: z.string(),
  project: z.string(),
  eval: z.string(),
  eval_version: z.number().int().nonnegative(),
  dataset: z.string(),
  dataset_version: z.string(),
  ref: z.string().nullable(),
  sha: z.string().nullable(),
  started_at: z.string(),
  row_id: z.string(),
  index: z.number().int().nonnegative(),
  cluster: z.string().nullable(),
  tags: z.array(z.string()),
  difficulty: z.string().nullable(),
  target: z.string(),
  target_model: z.string().nullable(),
  trial: z.number().int().nonnegative(),
  phase: z.enum(['main', 'confirm']),
  status: ResultStatusSchema,
  /** One of the cause lists for its status; null when scored. */
  cause: z.string().nullable(),
  passed: z.boolean(),
  /** Mean of the scorers' values, 0..1; 0 for target_error; null for judge_error and skipped. */
  score: z.number().min(0).max(1).nullable(),
  /** Last attempt, request sent to full answer, in ms. The limit for a timeout. Null when no request ended. */
  latency_ms: z.number().nonnegative().nullable(),
  attempts: z.number().int().nonnegative(),
  cost_target_usd: z.number().nonnegative().nullable(),
  cost_judge_usd: z.number().nonnegative().nullable(),
  tokens_in: z.number().int().nonnegative().nullable(),
  tokens_out: z.number().int().nonnegative().nullable(),
  judge_hash: z.string().nullable(),
  input: JsonValueSchema,
  expected: JsonValueSchema.nullable(),
  output: z.string().nullable(),
  contexts: z.array(z.string()).nullable(),
  trajectory: TrajectorySchema.nullable(),
  scores: z.record(z.string(), ScoreSchema),
  /** Names of the checks that did not hold, for people. */
  failed_checks: z.array(z.string()),
  metadata: JsonObjectSchema,
  /** What went wrong, secrets redacted; null when scored. */
  error: z.string().nullable(),
  /** Cost and tokens apart for target and judge; the scalars above are derived from it. */
  spend: z.object({
    target: CostSchema,
    judge: CostSchema,
    target_usage: UsageSchema.nullable(),
    judge_usage: UsageSchema.nullable(),
    judge_calls: z.number().int().nonnegative(),
  }),
  /** Visible oddities that do not change the verdict (`ambiguous` label, fallback, repaired …). */
  warnings: z.array(z.string()),
});
export type RowResult = z.infer<typeof RowResultSchema>;

/** A line of `outcomes.jsonl.gz`: what a later run compares with. One a row, targets and trials reduced. */
export const OutcomeSchema = z.object({
  row_id: z.string(),
  /** First 16 hex of SHA-256 over the RFC 8785 JSON of [input, expected]. */
  content: z.string(),
  status: ResultStatusSchema,
  passed: z.boolean(),
  score: z.number().min(0).max(1).nullable(),
});
export type Outcome = z.infer<typeof OutcomeSchema>;
