import * as z from 'zod';

const fraction = z.number().min(0).max(1);
const weight = z.number().min(0).finite();

/** Every threshold there is; `THRESHOLDS_OF_TYPE` says which of them an eval type takes. */
export const ThresholdsSchema = z.strictObject({
  pass_rate: fraction.optional(),
  min_score: fraction.optional(),
  fail_on_regression: z.boolean().optional(),
  max_score_drop: fraction.nullable().optional(),
  max_mean_score_drop: fraction.nullable().optional(),
  same_rows_only: z.boolean().optional(),
  max_cost_usd: z.number().nonnegative().nullable().optional(),
  max_p95_latency_ms: z.number().nonnegative().nullable().optional(),
  min_coverage: fraction.optional(),
  require_baseline: z.boolean().optional(),
  strict_baseline: z.boolean().optional(),
  metric_floors: z.record(z.string(), fraction).optional(),
  require_contains: z.boolean().optional(),
  min_answer_correctness_score: fraction.nullable().optional(),
  min_faithfulness_score: fraction.nullable().optional(),
  faithfulness_weight: weight.optional(),
  answer_correctness_weight: weight.optional(),
  min_answer_score: fraction.nullable().optional(),
  min_tool_score: fraction.nullable().optional(),
  min_reasoning_score: fraction.nullable().optional(),
  min_efficiency_score: fraction.nullable().optional(),
  answer_weight: weight.optional(),
  tool_weight: weight.optional(),
  efficiency_weight: weight.optional(),
  reasoning_weight: weight.optional(),
});
export type Thresholds = z.infer<typeof ThresholdsSchema>;
export type ThresholdName = keyof Thresholds;

const RUN_LEVEL: readonly ThresholdName[] = [
  'pass_rate',
  'min_score',
  'fail_on_regression',
  'max_score_drop',
  'max_mean_score_drop',
  'same_rows_only',
  'max_cost_usd',
  'max_p95_latency_ms',
  'min_coverage',
  'require_baseline',
  'strict_baseline',
];
const RAG: readonly ThresholdName[] = [
  'require_contains',
  'min_answer_correctness_score',
  'min_faithfulness_score',
  'faithfulness_weight',
  'answer_correctness_weight',
];
const AGENT: readonly ThresholdName[] = [
  'min_answer_score',
  'min_tool_score',
  'min_reasoning_score',
  'min_efficiency_score',
  'answer_weight',
  'tool_weight',
  'efficiency_weight',
  'reasoning_weight',
];

export const THRESHOLDS_OF_TYPE = {
  qa: RUN_LEVEL,
  classification: RUN_LEVEL,
  instruction: RUN_LEVEL,
  metrics: [...RUN_LEVEL, 'metric_floors'],
  rag: [...RUN_LEVEL, 'metric_floors', ...RAG],
  agent: [...RUN_LEVEL, ...AGENT],
} as const satisfies Record<string, readonly ThresholdName[]>;

/** What a row of a RAG eval must reach, and what its composite weighs; rows may override the first three. */
export const RagGateSchema = z.object({
  require_contains: z.boolean(),
  min_answer_correctness_score: fraction.nullable(),
  min_faithfulness_score: fraction.nullable(),
  faithfulness_weight: weight,
  answer_correctness_weight: weight,
});
export type RagGate = z.infer<typeof RagGateSchema>;

/** What a row of an agent eval must reach, and what its composite weighs; rows may override the minima. */
export const AgentGateSchema = z.object({
  min_answer_score: fraction.nullable(),
  min_tool_score: fraction.nullable(),
  min_reasoning_score: fraction.nullable(),
  min_efficiency_score: fraction.nullable(),
  answer_weight: weight,
  tool_weight: weight,
  efficiency_weight: weight,
  reasoning_weight: weight,
});
export type AgentGate = z.infer<typeof AgentGateSchema>;

/** What a judge must have shown before its verdicts gate. */
export const RequiredCalibrationSchema = z.strictObject({
  min_kappa: z.number().min(-1).max(1),
  max_age_days: z.number().positive(),
});
export type RequiredCalibration = z.infer<typeof RequiredCalibrationSchema>;

/**
 * What decides a run, every default filled in. Its hash names the rules a decision was made under.
 * `null` = this rule does not apply.
 */
export const PolicySchema = z.object({
  type: z.enum(['qa', 'classification', 'instruction', 'rag', 'agent', 'metrics']),
  /** Row score from which a row passes. Null where the type has a row gate of its own (rag, agent). */
  row_mark: fraction.nullable(),
  /** The row gate of types that have one; absent where `row_mark` decides. */
  row_gate: z.union([RagGateSchema, AgentGateSchema]).optional(),
  pass_rate: fraction.nullable(),
  min_score: fraction.nullable(),
  fail_on_regression: z.boolean(),
  max_score_drop: fraction.nullable(),
  max_mean_score_drop: fraction.nullable(),
  same_rows_only: z.boolean(),
  max_cost_usd: z.number().nonnegative().nullable(),
  max_p95_latency_ms: z.number().nonnegative().nullable(),
  min_coverage: fraction,
  require_baseline: z.boolean(),
  strict_baseline: z.boolean(),
  metric_floors: z.record(z.string(), fraction),
  veto: z.array(z.string()),
  trial_policy: z.enum(['all', 'majority', 'any']),
  decide_by: z.enum(['point', 'interval']),
  margin: fraction.nullable(),
  on_inconclusive: z.enum(['fail', 'pass', 'error']),
  /** Absent: the judge need not be calibrated. */
  require_calibration: RequiredCalibrationSchema.optional(),
});
export type Policy = z.infer<typeof PolicySchema>;
