import * as z from 'zod';
import { RunFiguresSchema } from './run-figures.ts';
import { DecisionSchema, ReasonSchema } from './summary.ts';

/** `source` and `detail-type` of the event, by which rules know it. A rename breaks every rule. */
export const EVENT_SOURCE = 'assay';
export const RUN_FINISHED = 'Assay Run Finished';

const nullableNumber = z.number().nullable();
const nullableText = z.string().nullable();

/**
 * `detail` of the event `Assay Run Finished`. Told at least once for each attempt of a run: `run_id` and `attempt` name
 * what is told, and a second delivery says the same. Members may be added; a change of what one means is a new version.
 */
export const RunFinishedSchema = z.object({
  version: z.literal('1'),
  /** Stage of the app; `dev` under `assay dev`. */
  stage: z.string(),
  run_id: z.string(),
  gate_run_id: z.string(),
  project: z.string(),
  eval: z.string(),
  eval_version: z.number().int(),
  /** 2 and on: a redrive of the same run. */
  attempt: z.number().int(),
  status: z.enum(['passed', 'failed', 'error', 'cancelled']),
  gate: z.enum(['pass', 'fail', 'error']),
  /** Reported, never decides the gate of its group. */
  quarantined: z.boolean(),
  /** One line each, without quotes, backslashes, angle brackets and control characters: safe in the template of a rule. */
  title: z.string(),
  text: z.string(),
  /** As the gate has it, cut at 2,000 characters. */
  message: z.string(),
  /** Null: the run broke, or was cancelled, before anything was counted. The first 20 reasons, each cut at 500 characters. */
  decision: DecisionSchema.extend({ reasons: z.array(ReasonSchema), reasons_total: z.number().int() }).nullable(),
  score: nullableNumber,
  pass_rate: nullableNumber,
  /** Null where `decision` is. */
  figures: RunFiguresSchema.nullable(),
  ref: nullableText,
  sha: nullableText,
  triggered_by: nullableText,
  started_at: z.string(),
  /** When its execution began; null: it never did, or nobody wrote it down. */
  began_at: nullableText,
  finished_at: z.string(),
  /** Paths of the API. */
  run_path: z.string(),
  gate_path: z.string(),
  /** Null: there is no report. */
  report_path: nullableText,
});
export type RunFinished = z.infer<typeof RunFinishedSchema>;
