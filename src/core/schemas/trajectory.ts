import * as z from 'zod';
import { JsonValueSchema } from '../json.ts';

const ToolCallSchema = z.object({
  name: z.string(),
  arguments: JsonValueSchema.optional(),
  result: JsonValueSchema.optional(),
  /** Present when the tool answered with an error; the call still counts as made. */
  error: z.string().nullable().optional(),
});

const StepSchema = z.object({
  type: z.enum(['thought', 'tool_call', 'observation', 'answer']),
  content: z.string().optional(),
  tool_call: ToolCallSchema.nullable().optional(),
  latency_ms: z.number().nonnegative().nullable().optional(),
  tokens: z.number().int().nonnegative().nullable().optional(),
  cost_usd: z.number().nonnegative().nullable().optional(),
});

/** What an agent did for one row, in order. */
export const TrajectorySchema = z.object({
  steps: z.array(StepSchema),
  final_answer: z.string().nullable().optional(),
  /** Present, even when empty: the agent crashed. */
  error: z.string().nullable().optional(),
  total_latency_ms: z.number().nonnegative().nullable().optional(),
  total_tokens: z.number().int().nonnegative().nullable().optional(),
  total_cost_usd: z.number().nonnegative().nullable().optional(),
});
export type Trajectory = z.infer<typeof TrajectorySchema>;
export type TrajectoryStep = z.infer<typeof StepSchema>;
