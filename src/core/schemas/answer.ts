import * as z from 'zod';
import { TrajectorySchema } from './trajectory.ts';

/** Tokens of one or more model calls, as the API reported them. `input` excludes what was read from a prompt cache. */
export const UsageSchema = z.object({
  input: z.number().int().nonnegative(),
  output: z.number().int().nonnegative(),
  cache_read: z.number().int().nonnegative().default(0),
  cache_write: z.number().int().nonnegative().default(0),
});
export type Usage = z.infer<typeof UsageSchema>;

/**
 * Money spent on calls: a sum in US dollars, or why there is none.
 * `not_metered`: the system does not report usage. `unknown`: it does, but the model has no price.
 */
export const CostSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('metered'), usd: z.number().nonnegative() }),
  z.object({ status: z.literal('not_metered') }),
  z.object({ status: z.literal('unknown'), model: z.string() }),
]);
export type Cost = z.infer<typeof CostSchema>;

/** What the target replied. */
export const AnswerSchema = z.object({
  /** May be empty: an empty answer is an answer. Objects arrive as canonical JSON text. */
  text: z.string(),
  /** Passages the target retrieved; absent when it reports none. */
  contexts: z.array(z.string()).optional(),
  trajectory: TrajectorySchema.optional(),
});
export type Answer = z.infer<typeof AnswerSchema>;
