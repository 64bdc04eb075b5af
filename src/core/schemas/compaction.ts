import * as z from 'zod';

export const CompactRequestSchema = z.strictObject({ run_id: z.string(), project: z.string() });
export type CompactRequest = z.infer<typeof CompactRequestSchema>;

/** Copy of a run's results as Parquet, for tables of many millions of rows. */
export const CompactionSchema = z.object({
  /** Of the run: results of a later attempt are not in it. */
  attempt: z.number().int().positive(),
  files: z.number().int().nonnegative(),
  /** Lines of results, those that were tried again among them. */
  rows: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  finished_at: z.string(),
});
export type Compaction = z.infer<typeof CompactionSchema>;
