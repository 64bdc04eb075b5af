import * as z from 'zod';
import { CalibrationSchema } from './calibration.ts';
import { EvalConfigSchema } from './eval.ts';
import { PolicySchema } from './thresholds.ts';

export const RUN_ID_PATTERN = /^r-[0-9A-HJKMNP-TV-Z]{26}$/;

/** `config.json` of a run: everything that decided what it does, as it stood when the run started. */
export const RunConfigSchema = z.object({
  run_id: z.string().regex(RUN_ID_PATTERN),
  project: z.string(),
  eval_version: z.number().int().nonnegative(),
  /** SHA-256 of the RFC 8785 JSON of `eval`. */
  config_hash: z.string(),
  policy: PolicySchema,
  judge_hash: z.string().nullable(),
  target_hash: z.string(),
  eval: EvalConfigSchema,
  dataset: z.object({ id: z.string(), version: z.string(), rows: z.number().int(), without_input: z.number().int() }),
  /** Rows picked for this run × targets × trials = the manifest. */
  rows: z.number().int().nonnegative(),
  started_at: z.string(),
  ref: z.string().nullable(),
  sha: z.string().nullable(),
  triggered_by: z.string().nullable(),
  /** Folder of the eval file, runs on this machine only: a resumed run reads its `.env` there again. */
  eval_folder: z.string().optional(),
  warnings: z.array(z.string()),
  /** What was known of the judge when the run started; absent: it was not calibrated. */
  calibration: CalibrationSchema.optional(),
});
export type RunConfig = z.infer<typeof RunConfigSchema>;
