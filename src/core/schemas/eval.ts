import * as z from 'zod';
import { JsonObjectSchema, JsonValueSchema } from '../json.ts';
import { JudgeConfigSchema } from './judge-config.ts';
import { ScheduleSchema } from './schedule.ts';
import { IdSchema, TargetConfigSchema } from './target-config.ts';
import { RequiredCalibrationSchema, ThresholdsSchema } from './thresholds.ts';

export const EVAL_TYPES = ['qa', 'classification', 'instruction', 'rag', 'agent', 'metrics'] as const;
export type EvalType = (typeof EVAL_TYPES)[number];

export const METRIC_NAMES = [
  'correctness',
  'relevance',
  'safety',
  'rubric',
  'latency',
  'faithfulness',
  'answer_relevance',
  'context_precision',
  'context_recall',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];
/** Metrics that read the retrieved passages. */
export const CONTEXT_METRICS: readonly MetricName[] = [
  'faithfulness',
  'answer_relevance',
  'context_precision',
  'context_recall',
];
export const DEFAULT_LATENCY_BUDGET_MS = 5000;

/**
 * `contains`, or `{numeric: {extract: '…'}}`: the check's name with its options. Checks read their own options.
 * `{not: …}` around either, or `not-` before the name: passes exactly where the check does not.
 */
const ScorerConfigSchema = z.union([
  z.string().min(1),
  z.strictObject({ not: z.string().min(1) }),
  z
    .record(z.string(), JsonObjectSchema)
    .refine((value) => Object.keys(value).length === 1, 'a scorer is a name, or one name with its options'),
]);
export type ScorerConfig = z.infer<typeof ScorerConfigSchema>;

const oneOrMore = <T extends z.ZodType>(schema: T) =>
  z
    .union([schema, z.array(schema).min(1)])
    .transform((value): z.output<T>[] => (Array.isArray(value) ? value : [value]) as z.output<T>[]);

/** An eval as a person writes it. Unknown keys are errors. */
export const EvalFileSchema = z.strictObject({
  name: IdSchema,
  description: z.string().default(''),
  type: z.enum(EVAL_TYPES),
  /** A file beside this one, or (deployed) a dataset id, optionally `@version`. */
  dataset: z.string().min(1),
  targets: z.array(TargetConfigSchema).min(1).optional(),
  target: TargetConfigSchema.optional(),
  /** One judge, or several: a jury. */
  judge: oneOrMore(JudgeConfigSchema).optional(),
  metrics: z.array(z.string()).optional(),
  rubric: z.string().min(1).optional(),
  latency_budget_ms: z.number().positive().optional(),
  sample_size: z.number().int().positive().optional(),
  sample_seed: z.string().optional(),
  trials: z.number().int().min(1).max(100).default(1),
  trial_policy: z.enum(['all', 'majority', 'any']).default('all'),
  confirm_trials: z.number().int().min(0).max(100).default(0),
  /** Requests to the targets in flight, over the whole run. */
  concurrency: z.number().int().min(1).max(10_000).default(4),
  /** Over the whole run. No row starts later; rows in flight are cut off half a minute later. */
  time_budget_s: z.number().positive().default(3600),
  /** No row starts that might take the run's metered cost beyond this, however many run at once. */
  max_cost_usd_hard: z.number().positive().optional(),
  max_rows: z.number().int().positive().default(10_000_000),
  thresholds: ThresholdsSchema.default({}),
  /** last-pass | last-pass:same-ref | pinned | none | a run id. */
  baseline: z.string().min(1).default('last-pass'),
  active: z.boolean().default(true),
  quarantined: z.boolean().default(false),
  /** Deployed, an active eval starts by itself: crontab's five fields, or with a time zone `{cron, timezone}`. @default UTC */
  schedule: ScheduleSchema.optional(),
  tags: z.array(z.string()).default([]),
  metadata: JsonObjectSchema.default({}),
  scorers: z.array(ScorerConfigSchema).min(1).optional(),
  labels: z.array(z.string().min(1)).min(1).optional(),
  strict_labels: z.boolean().default(false),
  text_match: z.enum(['normalized', 'literal']).default('normalized'),
  word_boundary: z.boolean().default(false),
  /** Which dataset column feeds a field, where names alone do not tell. */
  columns: z.record(z.string(), z.string()).default({}),
  judge_calls: z.enum(['per_row', 'per_metric']).default('per_row'),
  judge_scales: z.enum(['supereval', 'bedrock']).default('supereval'),
  require_judge: z.boolean().default(false),
  /** Planted answers with known verdicts, judged before the rows. @default where a model judges */
  canaries: z.boolean().optional(),
  /** Keeps verdicts and uses them again where all that decides them is the same. @default false */
  judge_cache: z.boolean().optional(),
  veto: z.array(z.string()).default([]),
  decide_by: z.enum(['point', 'interval']).default('point'),
  margin: z.number().min(0).max(1).optional(),
  on_inconclusive: z.enum(['fail', 'pass', 'error']).default('fail'),
  require_calibration: RequiredCalibrationSchema.optional(),
  /** Addresses of private targets: host names and CIDR ranges that the outbound guard lets through. */
  allowed_hosts: z.array(z.string()).default([]),
  allowed_cidrs: z.array(z.string()).default([]),
  https_only: z.boolean().default(false),
});
export type EvalFile = z.infer<typeof EvalFileSchema>;

const TargetWithIdSchema = z.custom<z.infer<typeof TargetConfigSchema> & { id: string }>();

/**
 * An eval with every default filled in and everything settled that does not need the outside:
 * what a run keeps in `config.json` and every later step reads.
 */
export const EvalConfigSchema = EvalFileSchema.omit({
  target: true,
  targets: true,
  judge: true,
  metrics: true,
  scorers: true,
  sample_seed: true,
}).extend({
  targets: z.array(TargetWithIdSchema).min(1),
  /** Empty: none configured. More than one: a jury. */
  judges: z.array(JudgeConfigSchema),
  /** Known metrics, each once; empty for types that have none. */
  metrics: z.array(z.enum(METRIC_NAMES)),
  /** Text checks and `judge`, in the order written, defaults of the type filled in. */
  scorers: z.array(z.object({ name: z.string(), check: z.string(), options: z.record(z.string(), JsonValueSchema) })),
  sample_seed: z.string(),
});
export type EvalConfig = z.infer<typeof EvalConfigSchema>;
export type ScorerSpec = EvalConfig['scorers'][number];
