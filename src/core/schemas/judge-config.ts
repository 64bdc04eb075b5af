import * as z from 'zod';

const inference = {
  /** Upper bound of one verdict, in tokens; Bedrock reserves it against the quota. */
  max_tokens: z.number().int().positive().max(8192).default(700),
  timeout_s: z.number().positive().max(300).default(60),
  temperature: z.number().min(0).max(1).default(0),
};

export const BedrockJudgeSchema = z.strictObject({
  type: z.literal('bedrock'),
  model: z.string().min(1),
  region: z.string().min(1).optional(),
  ...inference,
});
const OpenAiJudgeSchema = z.strictObject({
  type: z.literal('openai'),
  /** Base URL of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1 */
  url: z.string().min(1),
  model: z.string().min(1),
  /** `{{secrets.NAME}}`; sent as a Bearer token. */
  api_key: z.string().optional(),
  ...inference,
});
/** Deterministic word overlap. It is no model, and every output says so. */
const LexicalJudgeSchema = z.strictObject({ type: z.literal('lexical') });
/** Replays the judgements kept with the rows, or those of a former run (`from`). */
const RecordedJudgeSchema = z.strictObject({ type: z.literal('recorded'), from: z.string().min(1).optional() });

export const JudgeConfigSchema = z.preprocess(
  (value) =>
    typeof value === 'object' && value !== null && !('type' in value) ? { type: 'bedrock', ...value } : value,
  z.discriminatedUnion('type', [BedrockJudgeSchema, OpenAiJudgeSchema, LexicalJudgeSchema, RecordedJudgeSchema]),
);
export type JudgeConfig = z.infer<typeof JudgeConfigSchema>;
