import * as z from 'zod';
import { CostSchema, UsageSchema } from './answer.ts';

/** What a run's planted answers came to, asked before its rows: `canaries.json`, and part of the summary. */
export const CanaryReportSchema = z.object({
  /** Questions put to judges: planted answers × prompts × judges. */
  asked: z.number().int(),
  /** Ruled as they must be. */
  held: z.number().int(),
  /** The judge gave no verdict: it counts as a judge that fails, not as one that obeys. */
  failed: z.number().int(),
  /** Ruled the other way: each makes the run an error. */
  wrong: z.array(z.object({ canary: z.string(), judge: z.string(), prompt: z.string(), text: z.string() })),
  /** One of the failures in words; null without any. */
  failure: z.string().nullable(),
  cost: CostSchema,
  usage: UsageSchema.nullable(),
});
export type CanaryReport = z.infer<typeof CanaryReportSchema>;
