import * as z from 'zod';
import { SKIP_CAUSES } from './result.ts';

/** Input of one execution of the run workflow. */
export const RunInputSchema = z.object({ run_id: z.string(), project: z.string() });
export type RunInput = z.infer<typeof RunInputSchema>;

/** A row as the Map hands it on: where its line lies in rows.jsonl. Small, whatever the row holds. */
export const RowItemSchema = z.object({
  index: z.number().int().nonnegative(),
  /** Byte offset of the row's line in rows.jsonl. */
  offset: z.number().int().nonnegative(),
  /** Positions of the targets that are asked; absent: all. */
  targets: z.array(z.number().int().nonnegative()).optional(),
  /** Of a row that is tried again: failures that decide that it is to blame. */
  blame_at: z.number().int().positive().optional(),
});
export type RowItem = z.infer<typeof RowItemSchema>;

/** `proceed: false`: the run was refused (configuration, dataset, blocked URL) and already has its gate. */
export const PreparedRunSchema = z.object({
  run_id: z.string(),
  project: z.string(),
  proceed: z.boolean(),
  rows: z.number().int().nonnegative(),
  rows_key: z.string(),
  /** First rows, evaluated exactly as in the Map before it starts. */
  probe: z.array(RowItemSchema),
  batch_size: z.number().int().positive(),
  max_concurrency: z.number().int().positive(),
});
export type PreparedRun = z.infer<typeof PreparedRunSchema>;

/** Why a whole run starts no further row. */
const StopSchema = z.object({ cause: z.enum(SKIP_CAUSES), why: z.string() });

/** What `evaluate-rows` is asked: consecutive rows of one run, or any rows of it that are tried again. */
export const RowBatchSchema = z.object({
  run_id: z.string(),
  project: z.string(),
  items: z.array(RowItemSchema).min(1),
  phase: z.enum(['main', 'confirm']).default('main'),
});
/** As the state machine hands it over; `phase` may be left out. */
export type RowBatchInput = z.input<typeof RowBatchSchema>;

export const BatchReportSchema = z.object({
  run_id: z.string(),
  first_index: z.number().int().nonnegative(),
  done: z.number().int().nonnegative(),
  /** The whole run stops (target down, judge down, cost cap, time budget, cancelled): why. */
  stop: StopSchema.nullable(),
  /** Rows not started since this Lambda's time runs out: a batch of their own. Empty when done. */
  remaining: z.array(RowItemSchema),
});
export type BatchReport = z.infer<typeof BatchReportSchema>;

export const AggregateInputSchema = RunInputSchema.extend({
  stop: StopSchema.nullable().default(null),
  /** Flipped rows were tried again: now the run is decided with what there is. */
  confirmed: z.boolean().default(false),
});
export const AggregateReportSchema = RunInputSchema.extend({
  status: z.string(),
  /** `pending`: the run is not decided yet, since rows are to be tried again. */
  gate: z.enum(['pending', 'pass', 'fail', 'error']),
  /** Rows that flipped against the baseline, to be tried again before they are blamed. */
  confirm: z.array(RowItemSchema),
});
export type AggregateInput = z.input<typeof AggregateInputSchema>;
export type AggregateReport = z.infer<typeof AggregateReportSchema>;
