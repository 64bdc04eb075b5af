import type {
  ContentBlock,
  ConverseCommandInput,
  Message,
  ToolConfiguration,
  ToolResultBlock,
} from '@aws-sdk/client-bedrock-runtime';
import type { Chat } from '../../core/agent/chat-prompt.ts';
import type { ToolOutcome, ToolSpec } from '../../core/agent/mock-tools.ts';
import { isJsonObject } from '../../core/json.ts';
import type { BedrockTargetConfig } from '../../core/schemas/target-config.ts';
import { capabilitiesOf } from './bedrock-capabilities.ts';

/** What a model takes beside the messages; learnt from its refusals where the table is wrong. */
export interface RequestForm {
  readonly temperature: boolean;
  /** Whether the result of a tool may say that it is an error. */
  readonly toolStatus: boolean;
}

export function formFor(model: string): RequestForm {
  return { temperature: capabilitiesOf(model).temperature, toolStatus: /anthropic\.|amazon\.nova/.test(model) };
}

/** The part of the form that the model refused with this message, if the request had it. */
export function refusedPart(form: RequestForm, message: string): keyof RequestForm | null {
  if (!message.startsWith('ValidationException')) return null;
  if (form.temperature && /temperature/i.test(message)) return 'temperature';
  return form.toolStatus && /\bstatus\b/i.test(message) ? 'toolStatus' : null;
}

export function toConverseInput(
  config: BedrockTargetConfig,
  conversation: {
    readonly system: readonly string[];
    readonly messages: readonly Message[];
    readonly tools: readonly ToolSpec[];
  },
  form: RequestForm,
): ConverseCommandInput {
  const { system, messages, tools } = conversation;
  const temperature = form.temperature && config.temperature !== undefined ? { temperature: config.temperature } : {};
  return {
    modelId: config.model,
    ...(system.length === 0 ? {} : { system: system.map((text) => ({ text })) }),
    messages: form.toolStatus ? [...messages] : messages.map(withoutStatus),
    inferenceConfig: { maxTokens: config.max_tokens, ...temperature },
    ...(tools.length === 0 ? {} : { toolConfig: toToolConfig(tools) }),
  };
}

export function firstMessages({ messages }: Chat): Message[] {
  return messages.map(({ role, texts }) => ({ role, content: texts.map((text) => ({ text })) }));
}

/** Objects go as JSON, the only kind of JSON every model takes; anything else goes as its JSON text. */
export function toolResultBlock(toolUseId: string, outcome: ToolOutcome): ContentBlock {
  if (!outcome.ok)
    return { toolResult: { toolUseId, status: 'error', content: [{ text: `Error: ${outcome.error}` }] } };
  const { result } = outcome;
  if (isJsonObject(result)) return { toolResult: { toolUseId, content: [{ json: result }] } };
  const text = typeof result === 'string' && result.trim() !== '' ? result : JSON.stringify(result);
  return { toolResult: { toolUseId, content: [{ text }] } };
}

function toToolConfig(tools: readonly ToolSpec[]): ToolConfiguration {
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      toolSpec: { name, description, inputSchema: { json: parameters } },
    })),
  };
}

function withoutStatus(message: Message): Message {
  return { ...message, content: message.content?.map(blockWithoutStatus) };
}

function blockWithoutStatus(block: ContentBlock): ContentBlock {
  if (block.toolResult?.status === undefined) return block;
  const { status: _, ...toolResult }: ToolResultBlock = block.toolResult;
  return { toolResult };
}
