import * as z from 'zod';
import { CountsSchema } from './summary.ts';

const nullableNumber = z.number().nullable();

/** The figures of a counted run that stay in its record, so that its end can be told without opening its files. */
export const RunFiguresSchema = z.object({
  type: z.string(),
  dataset: z.object({ id: z.string(), version: z.string() }),
  counts: CountsSchema,
  coverage: nullableNumber,
  p95_ms: nullableNumber,
  cost: z.object({
    /** Sum of what is metered; null when a metered call has no price. */
    total_usd: nullableNumber,
    target_usd: nullableNumber,
    judge_usd: nullableNumber,
    /** What cannot be metered and is outside every limit, the first 20. */
    not_metered: z.array(z.string()),
  }),
  /** Null: compared with none. Changes are now − then. */
  baseline: z
    .object({
      run_id: z.string(),
      pass_rate_change: nullableNumber,
      score_change: nullableNumber,
      regressed: z.number().int(),
      fixed: z.number().int(),
    })
    .nullable(),
});
export type RunFigures = z.infer<typeof RunFiguresSchema>;
