import * as z from 'zod';
import { JsonValueSchema } from '../../../src/core/json.ts';
import { ApiTokenSchema } from '../../../src/core/schemas/api-token.ts';
import { BaselinePinSchema } from '../../../src/core/schemas/baseline-pin.ts';
import { CalibrationSchema } from '../../../src/core/schemas/calibration.ts';
import { RedecidedRunSchema } from '../../../src/core/schemas/redecided-run.ts';
import {
  DatasetVersionSchema,
  EvalVersionSchema,
  ProjectSchema,
  RunCountersSchema,
  RunRecordSchema,
} from '../../../src/core/schemas/registry.ts';
import { RowResultSchema } from '../../../src/core/schemas/result.ts';
import { DecisionSchema, RunStatusSchema } from '../../../src/core/schemas/summary.ts';

/** What the API answers. Only for its description: answers are made of typed values and not parsed again. */

const GateSchema = z.enum(['pending', 'pass', 'fail', 'error']);
const nullableNumber = z.number().nullable();
const url = z.string().describe('a path of this API');

export const OpenApiSchema = z.looseObject({ openapi: z.string() });

export const ProblemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    code: z.string().describe('stable: clients may branch on it'),
    detail: z.string(),
    faults: z
      .array(z.looseObject({ field: z.string().optional(), message: z.string(), fix: z.string().optional() }))
      .optional(),
    gate: z.literal('error').optional(),
  })
  .describe('RFC 9457');

export const ProjectViewSchema = ProjectSchema.extend({ webhook_url: url });
export const NewProjectViewSchema = ProjectViewSchema.extend({
  webhook_secret: z.string().describe('told this one time'),
});
export const ProjectListSchema = z.object({ items: z.array(ProjectViewSchema) });
export const RotatedSecretSchema = z.object({ webhook_secret: z.string(), previous_valid: z.boolean() });

export const RotatedLinksSchema = z.object({ previous_valid: z.boolean() });

export const CalibrationViewSchema = CalibrationSchema.extend({
  evals: z.array(z.string()).describe('evals of the project that this judge judges: only for them it counts'),
});
export const CalibrationListSchema = z.object({ items: z.array(CalibrationViewSchema) });

export const SecretListSchema = z.object({
  items: z.array(z.object({ name: z.string(), used_by: z.array(z.string()) })),
});
export const TokenViewSchema = ApiTokenSchema.omit({ hash: true }).extend({
  status: z.enum(['active', 'expired', 'revoked']),
});
export const CallerViewSchema = ApiTokenSchema.pick({ name: true, projects: true, access: true });
export const NewTokenViewSchema = TokenViewSchema.extend({ token: z.string().describe('told this one time') });
export const TokenListSchema = z.object({ items: z.array(TokenViewSchema) });

export const DatasetViewSchema = DatasetVersionSchema.extend({
  id: z.string().describe('<project>.<dataset>'),
  name: z.string(),
});
export const DatasetListSchema = z.object({ items: z.array(DatasetViewSchema) });
export const DatasetDetailSchema = DatasetViewSchema.extend({
  versions: z.array(DatasetVersionSchema.omit({ project: true, id: true })),
  first_rows: z.array(JsonValueSchema),
});
export const OpenedUploadSchema = z.object({
  upload_id: z.string(),
  dataset: z.string(),
  part_bytes: z.number().int(),
  parts: z.array(z.object({ number: z.number().int(), url: z.string().describe('PUT the part here') })),
  complete_url: url,
});
export const CompletedUploadViewSchema = DatasetViewSchema.extend({ status_url: url });

const EvalHeadSchema = EvalVersionSchema.omit({ config: true }).extend({ id: z.string().describe('<project>.<eval>') });
const nextRunAt = z.string().nullable().describe('when it starts by itself next; null: it does not');
export const EvalViewSchema = EvalHeadSchema.extend({
  next_run_at: nextRunAt.optional().describe('when it starts by itself next; absent: an older version was asked for'),
  config: EvalVersionSchema.shape.config,
});
export const NewEvalViewSchema = EvalViewSchema.extend({
  warnings: z.array(z.string()).optional().describe("how a test of Plainwright's was read, where it may surprise"),
});
const TrendPointSchema = RunRecordSchema.pick({
  run_id: true,
  status: true,
  score: true,
  pass_rate: true,
  eval_version: true,
  ref: true,
  sha: true,
  triggered_by: true,
  quarantined: true,
  message: true,
  started_at: true,
  finished_at: true,
}).extend({ gate: GateSchema });
export const EvalListSchema = z.object({
  items: z.array(
    EvalHeadSchema.extend({
      type: z.string(),
      dataset: z.string(),
      description: z.string(),
      active: z.boolean(),
      quarantined: z.boolean(),
      tags: z.array(z.string()),
      next_run_at: nextRunAt,
      runs: z.array(TrendPointSchema).optional().describe('newest first, when asked for'),
    }),
  ),
});
export const EvalHistorySchema = z.object({
  items: z.array(EvalHeadSchema.extend({ active: z.boolean(), quarantined: z.boolean() })),
});
export const BaselinePinViewSchema = BaselinePinSchema;
export const BaselineHistorySchema = z.object({
  current: BaselinePinSchema.nullable(),
  items: z.array(BaselinePinSchema),
});
export const TrendSchema = z.object({
  eval: z.string(),
  items: z.array(TrendPointSchema),
  cursor: z.string().nullable().describe('to older runs'),
});

export const StartedGateSchema = z.object({
  gate_run_id: z.string(),
  status_url: url,
  runs: z.array(z.object({ run_id: z.string(), eval: z.string(), status: RunStatusSchema })),
});
export const GateViewSchema = z.looseObject({
  gate_run_id: z.string(),
  gate: GateSchema.describe('pending until it is final'),
  decision: DecisionSchema.nullable(),
  reasons: z.array(z.string()),
  runs: z.array(
    z.looseObject({
      run_id: z.string(),
      eval: z.string(),
      status: RunStatusSchema,
      quarantined: z.boolean(),
      score: nullableNumber,
      pass_rate: nullableNumber,
      message: z.string(),
      decision: DecisionSchema.nullable(),
      attempt: z.number().int(),
      report_url: url.nullable().describe('opens without a token until it expires; null while there is no report'),
      junit_url: url.nullable().describe('the same for JUnit XML, a case a row'),
      details: z
        .object({
          rows: z.object({ total: z.number().int(), passed: z.number().int(), failed: z.number().int() }),
          baseline: z
            .object({
              run_id: z.string(),
              score_change: nullableNumber,
              pass_rate_change: nullableNumber,
              regressed: z.number().int(),
              fixed: z.number().int(),
              regressed_rows: z.array(z.string()).describe('the first 20'),
            })
            .nullable(),
        })
        .nullable()
        .describe('once the gate is final'),
    }),
  ),
  progress: z.object({ done: z.number().int(), total: z.number().int() }),
  report_url: url.nullable().describe('of the only run; of several each has its own'),
  junit_url: url.nullable(),
});

export const RunViewSchema = RunRecordSchema.omit({ execution: true, announce_pending: true })
  .extend({
    gate: GateSchema,
    progress: z.object({ done: z.number().int(), total: z.number().int().nullable() }),
    counters: RunCountersSchema,
    results_url: url,
    report_url: url.nullable().describe('opens without a token until it expires; null before the run is over'),
    junit_url: url.nullable().describe('the same for JUnit XML, a case a row'),
  })
  .loose()
  .describe('of a finished run, all of summary.json besides');
const ComparedRunSchema = RunRecordSchema.pick({
  run_id: true,
  eval: true,
  status: true,
  score: true,
  pass_rate: true,
  ref: true,
  sha: true,
  started_at: true,
});
const interval = z.tuple([z.number(), z.number()]);
const rowChanges = z.array(z.object({ row_id: z.string(), from: nullableNumber, to: nullableNumber }));
export const RunComparisonSchema = z.object({
  first: ComparedRunSchema,
  second: ComparedRunSchema,
  differences: z.array(z.string()).describe('what differs between the set-ups'),
  same: z.number().int(),
  compared: z.number().int(),
  both_pass: z.number().int(),
  both_fail: z.number().int(),
  regressed: rowChanges,
  fixed: rowChanges,
  unknown: z.array(z.string()),
  changed: z.array(z.string()),
  only_first: z.array(z.string()),
  only_second: z.array(z.string()),
  pass_rate: z.object({ delta: z.number(), ci95: interval }).nullable(),
  score: z.object({ delta: z.number(), ci95: interval.nullable() }).nullable(),
  p_value: nullableNumber,
  cut: z.array(z.string()).describe('lists that hold the first 1,000 only'),
});
export const RedecidedRunViewSchema = RedecidedRunSchema.extend({
  cut: z.array(z.string()).describe('lists that hold the first 1,000 only'),
});
export const StartedCompactionSchema = z.object({ run_id: z.string(), run_url: url });
export const CancelledRunSchema = z.object({
  run_id: z.string(),
  status: RunStatusSchema,
  cancel_requested: z.boolean(),
});
export const ResultListSchema = z.object({
  items: z.array(
    RowResultSchema.pick({
      row_id: true,
      index: true,
      target: true,
      target_model: true,
      trial: true,
      phase: true,
      status: true,
      cause: true,
      input: true,
      expected: true,
      output: true,
      contexts: true,
      score: true,
      passed: true,
      latency_ms: true,
      attempts: true,
      cost_target_usd: true,
      cost_judge_usd: true,
      tokens_in: true,
      tokens_out: true,
      error: true,
      tags: true,
      difficulty: true,
      cluster: true,
      metadata: true,
      failed_checks: true,
      warnings: true,
    }).extend({
      scores: z.record(z.string(), nullableNumber),
      reasoning: z.record(z.string(), z.string()),
      details: RowResultSchema.shape.scores,
      truncated: z.boolean(),
    }),
  ),
  cursor: z.string().nullable(),
});
export const RowViewSchema = z.object({
  items: z.array(
    RowResultSchema.extend({ truncated: z.boolean().describe('texts are cut, the trajectory is left out') }),
  ),
});
