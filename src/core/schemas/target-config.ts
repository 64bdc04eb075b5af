import * as z from 'zod';
import { JsonValueSchema } from '../json.ts';

export const ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const IdSchema = z
  .string()
  .regex(
    ID_PATTERN,
    'an id has lower-case letters, digits and "-", starts with a letter or digit, and has at most 63 characters',
  );

const common = {
  /** Default: the type, then `http-2`, `http-3`, … Unique in the eval. */
  id: IdSchema.optional(),
  timeout_s: z.number().positive().max(900).default(60),
  /** Further attempts on 502, 503, 504 and connection reset. A throttled request (429) waits for its turn as long as it takes. 0 = nothing is sent twice. */
  retries: z.number().int().min(0).max(10).default(2),
  usage_path: z.string().min(1).optional(),
  cost_path: z.string().min(1).optional(),
  contexts_path: z.string().min(1).optional(),
  trajectory_path: z.string().min(1).optional(),
};

export const HttpTargetSchema = z.strictObject({
  type: z.literal('http').default('http'),
  url: z.string().min(1),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
  headers: z.record(z.string(), z.string()).default({}),
  body_template: JsonValueSchema.default({ message: '{{input}}' }),
  response_path: z.string().min(1).default('$'),
  /** HTTP statuses ≥ 400 that still carry an answer. */
  allowed_status: z.array(z.number().int().min(400).max(599)).default([]),
  ...common,
});
export type HttpTargetConfig = z.infer<typeof HttpTargetSchema>;

export const TypedHttpTargetSchema = HttpTargetSchema.extend({ type: z.literal('http') });

export const RecordedTargetSchema = z.strictObject({
  type: z.literal('recorded'),
  id: IdSchema.optional(),
  /** Path in the row of the recorded answer. */
  output: z.string().min(1).default('output'),
  contexts: z.string().min(1).default('contexts'),
  trajectory: z.string().min(1).default('trajectory'),
});
export type RecordedTargetConfig = z.infer<typeof RecordedTargetSchema>;

const MessageSchema = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() });

/** AWS Region; absent: AWS_REGION, or the shared configuration. */
const region = z.string().min(1).optional();

export const BedrockTargetSchema = z.strictObject({
  type: z.literal('bedrock'),
  model: z.string().min(1),
  region,
  prompt: z.string().optional(),
  messages: z.array(MessageSchema).min(1).optional(),
  max_tokens: z.number().int().positive().default(1024),
  temperature: z.number().min(0).max(1).optional(),
  max_iterations: z.number().int().positive().max(200).default(10),
  ...common,
});

export type BedrockTargetConfig = z.infer<typeof BedrockTargetSchema>;

export const LambdaTargetSchema = z.strictObject({
  type: z.literal('lambda'),
  function_arn: z.string().min(1),
  payload_template: JsonValueSchema.default({ message: '{{input}}' }),
  response_path: z.string().min(1).default('$'),
  ...common,
});

export type LambdaTargetConfig = z.infer<typeof LambdaTargetSchema>;

export const AgentCoreTargetSchema = z.strictObject({
  type: z.literal('agentcore'),
  agent_runtime_arn: z.string().min(1),
  qualifier: z.string().optional(),
  payload_template: JsonValueSchema.default({ prompt: '{{input}}' }),
  response_path: z.string().min(1).default('$'),
  ...common,
});

export type AgentCoreTargetConfig = z.infer<typeof AgentCoreTargetSchema>;

export const BedrockAgentTargetSchema = z.strictObject({
  type: z.literal('bedrock-agent'),
  agent_id: z.string().min(1),
  agent_alias_id: z.string().min(1),
  region,
  ...common,
});
export type BedrockAgentTargetConfig = z.infer<typeof BedrockAgentTargetSchema>;

export const KnowledgeBaseTargetSchema = z.strictObject({
  type: z.literal('knowledge-base'),
  knowledge_base_id: z.string().min(1),
  /** Model id, inference profile id or ARN of either: it writes the answer. */
  model: z.string().min(1),
  region,
  ...common,
});
export type KnowledgeBaseTargetConfig = z.infer<typeof KnowledgeBaseTargetSchema>;

/** One system under test. `type` absent means http. */
export const TargetConfigSchema = z.preprocess(
  (value) => (typeof value === 'object' && value !== null && !('type' in value) ? { type: 'http', ...value } : value),
  z.discriminatedUnion('type', [
    TypedHttpTargetSchema,
    RecordedTargetSchema,
    BedrockTargetSchema,
    LambdaTargetSchema,
    AgentCoreTargetSchema,
    BedrockAgentTargetSchema,
    KnowledgeBaseTargetSchema,
  ]),
);
/** A target whose id is settled. */
export type TargetConfig = z.infer<typeof TargetConfigSchema> & { id: string };
