import * as z from 'zod';
import { JsonObjectSchema, JsonValueSchema } from '../json.ts';

/** What one row asks of the agent or the answer, beyond `expected`. Values in 0..1 unless said otherwise. */
export const RowChecksSchema = z.looseObject({
  answer_match: z.enum(['contains', 'exact', 'regex', 'llm_judge']).optional(),
  must_call: z.array(z.string()).optional(),
  must_not_call: z.array(z.string()).optional(),
  must_call_with: z.array(z.object({ tool: z.string(), args: JsonObjectSchema.default({}) })).optional(),
  max_steps: z.number().int().positive().optional(),
  max_tool_calls: z.number().int().nonnegative().optional(),
  require_contains: z.boolean().optional(),
});
export type RowChecks = z.infer<typeof RowChecksSchema>;

const MAX_ID_BYTES = 512;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/u;

/** At most 512 bytes of UTF-8, no control characters. */
export const RowIdSchema = z
  .string()
  .min(1)
  .refine((id) => Buffer.byteLength(id, 'utf8') <= MAX_ID_BYTES, `a row id has at most ${MAX_ID_BYTES} bytes`)
  .refine((id) => !CONTROL_CHARACTER.test(id), 'a row id has no control characters');

/** One test case as `rows.jsonl` holds it: normalised, aliases resolved, id and index set. */
export const RowSchema = z.object({
  id: RowIdSchema,
  /** Position among the rows of this run, from 0, in file order. */
  index: z.number().int().nonnegative(),
  /** Byte offset of this line in `rows.jsonl`: a batch reads its rows from there. */
  offset: z.number().int().nonnegative().optional(),
  /** Never absent: rows without an input do not become rows. Text, or any JSON for nested inputs. */
  input: JsonValueSchema,
  /** The input object as the dataset gave it, where `input` was taken out of it: `{{input.KEY}}` reads here. */
  input_fields: JsonObjectSchema.optional(),
  /** The right answer. `null` when the dataset gives none. */
  expected: JsonValueSchema.nullable().default(null),
  rubric: z.string().nullable().default(null),
  /** Retrieved passages that come with the row; `null` when the dataset gives none. */
  contexts: z.array(z.string()).nullable().default(null),
  /** Recorded answer (a list is one entry a trial), for `recorded` targets. */
  output: JsonValueSchema.optional(),
  trajectory: JsonValueSchema.optional(),
  verdicts: JsonObjectSchema.optional(),
  judge_replies: z.array(JsonValueSchema).optional(),
  tags: z.array(z.string()).default([]),
  difficulty: z.string().nullable().default(null),
  /** Rows that share a source share a cluster. */
  cluster: z.string().nullable().default(null),
  metadata: JsonObjectSchema.default({}),
  tools: JsonValueSchema.optional(),
  checks: RowChecksSchema.default({}),
});
export type Row = z.infer<typeof RowSchema>;
