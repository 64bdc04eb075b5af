import * as z from 'zod';
import { UsageSchema } from './answer.ts';
import { CanaryReportSchema } from './canaries.ts';

const IntervalSchema = z.tuple([z.number(), z.number()]);
const nullableNumber = z.number().nullable();

export const RUN_STATUSES = ['queued', 'running', 'passed', 'failed', 'error', 'cancelled'] as const;
export const RunStatusSchema = z.enum(RUN_STATUSES);
export type RunStatus = z.infer<typeof RunStatusSchema>;

export const OUTCOMES = ['pass', 'fail', 'inconclusive', 'error'] as const;

/** The rule that decided, and its numbers; text is what a person reads. */
export const ReasonSchema = z.object({
  rule: z.string(),
  outcome: z.enum(OUTCOMES),
  text: z.string(),
  actual: nullableNumber,
  limit: nullableNumber,
});
export type Reason = z.infer<typeof ReasonSchema>;

/** Holds no times and no ids, so the same results under the same policy give the same bytes on every driver. */
export const DecisionSchema = z.object({
  outcome: z.enum(OUTCOMES),
  policy_hash: z.string(),
  /** Every broken condition; when none is broken, the conditions that held. */
  reasons: z.array(ReasonSchema),
});
export type Decision = z.infer<typeof DecisionSchema>;

const LatencySchema = z.object({
  p50_ms: nullableNumber,
  p95_ms: nullableNumber,
  n: z.number().int(),
  timeouts: z.number().int(),
});
export type LatencySummary = z.infer<typeof LatencySchema>;

export const CountsSchema = z.object({
  /** Rows in the manifest. */
  rows: z.number().int(),
  passed: z.number().int(),
  failed: z.number().int(),
  flaky: z.number().int(),
  /** (row, target, trial) of the manifest; the four below sum to it. */
  results: z.number().int(),
  scored: z.number().int(),
  target_error: z.number().int(),
  judge_error: z.number().int(),
  skipped: z.number().int(),
});
export type Counts = z.infer<typeof CountsSchema>;

export const MetricSummarySchema = z.object({
  mean: nullableNumber,
  n: z.number().int(),
  unscored: z.number().int(),
  ci95: IntervalSchema.nullable(),
  /** Standard error of the mean and degrees of freedom of its t; absent with fewer than two values or clusters. */
  standard_error: z.number().optional(),
  df: z.number().optional(),
});
export type MetricSummary = z.infer<typeof MetricSummarySchema>;

const CostSummarySchema = z.object({
  /** Sum of what is metered; null when a metered call has no price. */
  total_usd: nullableNumber,
  target_usd: nullableNumber,
  judge_usd: nullableNumber,
  /** What cannot be metered and is outside every limit. */
  not_metered: z.array(z.string()),
  /** Models with usage and without a price. */
  unknown: z.array(z.string()),
  tokens: z.object({ target: UsageSchema, judge: UsageSchema }),
});
export type CostSummary = z.infer<typeof CostSummarySchema>;

/** What came of rows that passed in the baseline, failed now, and were tried again before they are blamed. */
export const ConfirmationSchema = z.object({
  /** Further trials that each of them gets at most; none is asked after its verdict is sure. */
  trials: z.number().int(),
  /** So many failures among them blame a row. Absent in runs by the rule of the majority. */
  blame_at: z.number().int().optional(),
  /** Chance that noise alone blames any of the flipped rows, at most, where rows that usually pass fail 1 time in 10. */
  chance: z.number().optional(),
  /** Present where that is more than 5 in 100: so many trials could tell so many flips from noise. */
  trials_needed: z.number().int().optional(),
  flipped: z.number().int(),
  /** Ids of rows of which too many further trials failed for chance. */
  regressed: z.array(z.string()),
  /** So many further trials passed that chance explains the failure: the row passes, and counts as flaky. */
  flaky: z.array(z.string()),
  /** Neither is sure: blamed like the regressed ones. */
  not_confirmed: z.array(z.string()),
  /** Why some are not confirmed. */
  why: z.string().nullable(),
  /** Further trials that ran. */
  results: z.number().int(),
});
export type Confirmation = z.infer<typeof ConfirmationSchema>;

export const BaselineComparisonSchema = z.object({
  run_id: z.string(),
  same: z.number().int(),
  new: z.number().int(),
  /** Ids of rows that the baseline has and this run has not. */
  removed: z.array(z.string()),
  removed_passed: z.array(z.string()),
  changed: z.array(z.string()),
  regressed: z.array(z.string()),
  fixed: z.array(z.string()),
  still_failing: z.array(z.string()),
  /** Passed in the baseline, no verdict now (judge_error, skipped). */
  unknown: z.array(z.string()),
  pass_rate: z.number(),
  score: nullableNumber,
  /** Pass rate now − then, over all rows. */
  delta: nullableNumber,
  /** The same over rows that both have, unchanged and judged. */
  delta_same: nullableNumber,
  /** Mean score now − then, over all rows. */
  mean_delta: nullableNumber,
  ci95: IntervalSchema.nullable(),
  p_value: nullableNumber,
  /** Rows that both runs judged: what `delta_same` and the intervals rest on. */
  compared: z.number().int().optional(),
  /** Mean score now − then over the same rows, each row with itself, and its interval. */
  mean_delta_same: nullableNumber.optional(),
  mean_standard_error: nullableNumber.optional(),
  mean_ci95: IntervalSchema.nullable().optional(),
  /** Absent without `confirm_trials`. The lists above hold rows as they stand after it. */
  confirmation: ConfirmationSchema.optional(),
  /** What differs between the two runs' set-up (dataset version, target, judge, rubric). */
  differences: z.array(z.string()),
});
export type BaselineComparison = z.infer<typeof BaselineComparisonSchema>;

/** How one target's trials of the same row agree. Lists have one entry a k, from 1 to `trials`; empty without rows. */
export const RepeatSummarySchema = z.object({
  target: z.string(),
  trials: z.number().int(),
  /** Rows of which every trial has a verdict; only these count here. */
  rows: z.number().int(),
  flaky: z.number().int(),
  flake_rate: nullableNumber,
  /** pass@k: at least one of k trials passes. */
  pass_at: z.array(z.number()),
  /** pass^k: all k trials pass. */
  pass_hat: z.array(z.number()),
  flake_rate_ci95: IntervalSchema.nullable().optional(),
  /** One interval a k; null where clusters leave it open. */
  pass_at_ci95: z.array(IntervalSchema.nullable()).optional(),
  pass_hat_ci95: z.array(IntervalSchema.nullable()).optional(),
});
export type RepeatSummary = z.infer<typeof RepeatSummarySchema>;

/** What the numbers of a run can bear. Shown always; it decides only with `decide_by: interval`. */
export const StatisticsSchema = z.object({
  /** Rows that count. */
  rows: z.number().int(),
  /** Clusters among them; null when rows have none. */
  clusters: z.number().int().nullable(),
  /** Independent rows that they are worth, for the pass rate; below `rows` where clusters agree within themselves. */
  effective_rows: nullableNumber,
  score_standard_error: nullableNumber,
  score_df: nullableNumber,
  /** Smallest true difference that 8 of 10 comparisons with a baseline on the same rows would show (two-sided 5 %). */
  smallest_visible: z
    .object({
      /** `baseline`: from how rows differ between this run and its baseline. `assumed`: half of the spread between rows is the same in both runs. */
      basis: z.enum(['baseline', 'assumed']),
      pass_rate: nullableNumber,
      /** Null when all rows have the same score: their spread is not known. */
      score: nullableNumber,
      /** Rows it would take to see 3 points of the pass rate. */
      rows_for_3_points: z.number().int().nullable(),
    })
    .nullable(),
  /** The metric floors, each with the chance of a mean this low if the floor held, corrected for their number (Holm). */
  floors: z.array(z.object({ metric: z.string(), floor: z.number(), p_value: nullableNumber, p_holm: nullableNumber })),
});
export type RunStatistics = z.infer<typeof StatisticsSchema>;

/** The judge against human labels, and what that says of this run. */
export const RunCalibrationSchema = z.object({
  judge_hash: z.string(),
  /** Judged score that was compared; `row` is the verdict on the whole row. */
  metric: z.string(),
  label_policy: z.string(),
  /** Whole days from the calibration to the start of the run; below 0 it lies ahead of the run by more than a day. */
  age_days: z.number(),
  labels: z.number().int(),
  /** Labelled answers that people passed, and that they failed. Absent in runs that were stored before they were kept. */
  labels_good: z.number().int().optional(),
  labels_bad: z.number().int().optional(),
  kappa: nullableNumber,
  tpr: nullableNumber,
  tnr: nullableNumber,
  /** Share of answers that people would have passed, from the judge's share and its known errors. */
  corrected: z.object({
    status: z.enum(['corrected', 'judge_drift', 'edge', 'uninformative', 'unknown']),
    judged_rate: nullableNumber,
    judged: z.number().int(),
    rate: nullableNumber,
    ci95: IntervalSchema.nullable(),
  }),
});
export type RunCalibration = z.infer<typeof RunCalibrationSchema>;

/** What `summary.json`, `assay run --json` and `GET /api/runs/{id}` give. */
export const RunSummarySchema = z.object({
  run_id: z.string(),
  project: z.string(),
  eval: z.string(),
  description: z.string(),
  type: z.string(),
  dataset: z.object({ id: z.string(), version: z.string(), rows: z.number().int(), without_input: z.number().int() }),
  judges: z.array(z.object({ id: z.string(), type: z.string(), model: z.string().nullable(), is_model: z.boolean() })),
  judge_hash: z.string().nullable(),
  /** SHA-256 of the target configurations; a baseline with another one is compared with a warning. */
  target_hash: z.string(),
  status: RunStatusSchema,
  gate: z.enum(['pass', 'fail', 'error']),
  /** One sentence: how many rows failed, the weakest metric, rows without an answer; or why it is an error. */
  message: z.string(),
  decision: DecisionSchema,
  warnings: z.array(z.string()),
  score: nullableNumber,
  pass_rate: nullableNumber,
  pass_rate_ci95: IntervalSchema.nullable(),
  score_ci95: IntervalSchema.nullable(),
  coverage: nullableNumber,
  counts: CountsSchema,
  skipped_by_cause: z.record(z.string(), z.number().int()),
  metrics: z.record(z.string(), MetricSummarySchema),
  targets: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      model: z.string().nullable(),
      score: nullableNumber,
      pass_rate: nullableNumber,
      counts: CountsSchema.omit({ rows: true, flaky: true }),
      metrics: z.record(z.string(), MetricSummarySchema),
      latency: LatencySchema,
      cost: z.object({ status: z.enum(['metered', 'not_metered', 'unknown']), usd: nullableNumber }),
    }),
  ),
  /** One entry a target; absent with one trial a row. */
  repeats: z.array(RepeatSummarySchema).optional(),
  latency: LatencySchema,
  cost: CostSummarySchema,
  tags: z.record(
    z.string(),
    z.object({ rows: z.number().int(), passed: z.number().int(), counted: z.number().int(), score: nullableNumber }),
  ),
  baseline: BaselineComparisonSchema.nullable(),
  /** Results with a kept verdict, which cost nothing; absent without `judge_cache`. */
  verdict_cache: z.object({ results: z.number().int() }).optional(),
  /** Absent when nothing was planted. Its cost is part of the run's. */
  canaries: CanaryReportSchema.optional(),
  /** Absent in summaries written before there were statistics. */
  statistics: StatisticsSchema.optional(),
  /** Present where the judge of this run was calibrated on this machine. */
  calibration: RunCalibrationSchema.optional(),
  quarantined: z.boolean(),
  ref: z.string().nullable(),
  sha: z.string().nullable(),
  started_at: z.string(),
  finished_at: z.string(),
  stopped: z.object({ after: z.number().int(), of: z.number().int(), why: z.string() }).nullable(),
});
export type RunSummary = z.infer<typeof RunSummarySchema>;
