import * as z from 'zod';
import { IdSchema } from './target-config.ts';

/** A run made the baseline of its eval, by whom and why. Records are added, never changed: the newest one holds. */
export const BaselinePinSchema = z.object({
  project: IdSchema,
  eval: IdSchema,
  run_id: z.string(),
  status: z.string(),
  score: z.number().nullable(),
  pass_rate: z.number().nullable(),
  /** The run had not passed, or was quarantined, and somebody insisted. */
  forced: z.boolean(),
  note: z.string().max(1_000).nullable(),
  promoted_by: z.string(),
  promoted_at: z.string(),
  /** What held before; null: nothing. */
  previous_run_id: z.string().nullable(),
});
export type BaselinePin = z.infer<typeof BaselinePinSchema>;
