import * as z from 'zod';
import { JsonValueSchema } from '../json.ts';
import { DecisionSchema, RunStatusSchema } from './summary.ts';
import { PolicySchema } from './thresholds.ts';

const rowIds = z.array(z.string());
const DecidedSchema = z.object({
  gate: z.enum(['pass', 'fail', 'error']),
  status: RunStatusSchema,
  decision: DecisionSchema,
});

/** A stored run decided again. Its own decision stands: a replay never replaces it. */
export const RedecidedRunSchema = z.object({
  run_id: z.string(),
  eval: z.string(),
  quarantined: z.boolean(),
  gate: DecidedSchema.shape.gate,
  status: RunStatusSchema,
  message: z.string(),
  decision: DecisionSchema,
  /** What was decided when the run ended. */
  stored: DecidedSchema,
  changed: z.object({
    gate: z.boolean(),
    policy: z.array(z.object({ field: z.string(), from: JsonValueSchema, to: JsonValueSchema })),
    /** Ids of rows whose verdict is another one under this policy. */
    rows: z.object({ now_passed: rowIds, now_failed: rowIds, now_unknown: rowIds }),
  }),
  policy: PolicySchema,
  warnings: z.array(z.string()),
});
export type RedecidedRun = z.infer<typeof RedecidedRunSchema>;
