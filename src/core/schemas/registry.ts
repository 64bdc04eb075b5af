import * as z from 'zod';
import { AllowedCidrSchema, AllowedHostSchema } from './allowed-address.ts';
import { CanaryReportSchema } from './canaries.ts';
import { CompactionSchema } from './compaction.ts';
import { EvalFileSchema } from './eval.ts';
import { RunFiguresSchema } from './run-figures.ts';
import { DecisionSchema, RunStatusSchema } from './summary.ts';
import { IdSchema } from './target-config.ts';

/** Owns evals, datasets, secrets, a webhook secret, a default pass mark and a default judge. */
export const ProjectSchema = z.object({
  id: IdSchema,
  name: z.string().min(1).max(200),
  /** Pass mark of metrics evals without `thresholds.min_score`, 0..1. */
  default_pass_mark: z.number().min(0).max(1).default(0.8),
  /** Judge of evals that name none; any JSON that `JudgeConfigSchema` takes. */
  default_judge: z.unknown().optional(),
  /** Branch whose runs `last-pass` compares with. */
  baseline_ref: z.string().default('main'),
  /** Private targets that every eval of the project may call, beside those it names itself. */
  allowed_hosts: z.array(AllowedHostSchema).max(100).optional(),
  allowed_cidrs: z.array(AllowedCidrSchema).max(100).optional(),
  /** Runs that may be under way at once; more wait. Absent: as the stage has it. */
  max_concurrent_runs: z.number().int().min(1).max(1_000).optional(),
  created_at: z.string(),
});
export type Project = z.infer<typeof ProjectSchema>;

/** One version of an eval as it was put. */
export const EvalVersionSchema = z.object({
  project: IdSchema,
  name: IdSchema,
  version: z.number().int().positive(),
  config_hash: z.string(),
  config: EvalFileSchema,
  created_at: z.string(),
});
export type EvalVersion = z.infer<typeof EvalVersionSchema>;

export const DatasetVersionSchema = z.object({
  project: IdSchema,
  id: IdSchema,
  /** SHA-256 of the normalised rows; empty while processing or invalid. */
  version: z.string(),
  status: z.enum(['processing', 'ready', 'invalid']),
  /** Upload that this version came (or will come) from; how it is found while it has no version. */
  upload_id: z.string().optional(),
  rows: z.number().int().nonnegative(),
  without_input: z.number().int().nonnegative(),
  /** Faults as people read them, at most 100. */
  faults: z.array(z.string()),
  created_at: z.string(),
});
export type DatasetVersion = z.infer<typeof DatasetVersionSchema>;

/** What is known of a run before and after it ends; figures of a finished run are in its summary. */
export const RunRecordSchema = z.object({
  run_id: z.string(),
  gate_run_id: z.string(),
  project: IdSchema,
  eval: IdSchema,
  eval_version: z.number().int().nonnegative(),
  status: RunStatusSchema,
  quarantined: z.boolean(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  ref: z.string().nullable(),
  sha: z.string().nullable(),
  triggered_by: z.string().nullable(),
  /** Name of the workflow execution; attempt n + 1 is a redrive of the same one. */
  execution: z.string().nullable(),
  attempt: z.number().int().positive(),
  /** Results the manifest asks for (rows × targets × trials); null until prepared. */
  total: z.number().int().nullable(),
  message: z.string(),
  decision: DecisionSchema.nullable(),
  score: z.number().nullable(),
  pass_rate: z.number().nullable(),
  cancel_requested: z.boolean(),
  /** A request of it was throttled: later batches ask at once for the pace that all keep. */
  throttled: z.boolean().optional(),
  /** When its execution began: time spent waiting for a slot is before it. */
  began_at: z.string().optional(),
  /** Its end is still to be told (`Assay Run Finished`); set by whoever closes it, in the same write. */
  announce_pending: z.boolean().optional(),
  /** Of a run that was counted. */
  figures: RunFiguresSchema.optional(),
  /** What the planted answers came to, once the probe has put them to the judge. */
  canaries: CanaryReportSchema.optional(),
  /** The copy of its results as Parquet, once there is one. */
  compaction: CompactionSchema.optional(),
  /** Decisions of earlier attempts, oldest first. */
  earlier: z.array(z.object({ attempt: z.number().int(), status: RunStatusSchema, message: z.string() })),
});
export type RunRecord = z.infer<typeof RunRecordSchema>;

/** Sums over the finished batches of a run. Progress for people and guards; the summary counts anew from the parts. */
export const RunCountersSchema = z.object({
  done: z.number().int(),
  scored: z.number().int(),
  target_error: z.number().int(),
  judge_error: z.number().int(),
  skipped: z.number().int(),
  cost_usd: z.number(),
  /** Results that arrived after the gate was final: ignored, and counted here. */
  late: z.number().int(),
});
export type RunCounters = z.infer<typeof RunCountersSchema>;

/** The group of runs that one webhook call started. */
export const GateRunSchema = z.object({
  gate_run_id: z.string(),
  project: IdSchema,
  run_ids: z.array(z.string()),
  /** Evals that could not be started, with the reason: each counts as an error. */
  not_started: z.array(z.object({ eval: z.string(), message: z.string() })),
  ref: z.string().nullable(),
  sha: z.string().nullable(),
  triggered_by: z.string().nullable(),
  created_at: z.string(),
});
export type GateRun = z.infer<typeof GateRunSchema>;
