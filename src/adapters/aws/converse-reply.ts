import type { ContentBlock, ConverseCommandOutput, Message, TokenUsage } from '@aws-sdk/client-bedrock-runtime';
import type { JsonValue } from '../../core/json.ts';
import type { Usage } from '../../core/schemas/answer.ts';
import { plainDocument } from './sdk-document.ts';

/** A reply of Converse as a target reads it. */
export interface ModelReply {
  /** As the API spells it; `missing` when it gave none. */
  readonly stopReason: string;
  /** All its text, joined. */
  readonly text: string;
  /** Reasoning and text in the order they came, for the steps before a tool call. */
  readonly thoughts: readonly string[];
  readonly toolUses: readonly { readonly id: string; readonly name: string; readonly input: JsonValue }[];
  /** To be said again in the next request; without blank texts, which the API gives and does not take back. */
  readonly message: Message;
  readonly usage: Usage | null;
}

export function readModelReply(output: ConverseCommandOutput): ModelReply {
  const blocks = output.output?.message?.content ?? [];
  return {
    stopReason: output.stopReason ?? 'missing',
    text: blocks.map(textOf).join(''),
    thoughts: blocks.map((block) => block.reasoningContent?.reasoningText?.text ?? textOf(block)),
    toolUses: blocks.flatMap(({ toolUse }) =>
      toolUse === undefined
        ? []
        : [{ id: toolUse.toolUseId ?? '', name: toolUse.name ?? '', input: plainDocument(toolUse.input ?? {}) }],
    ),
    message: {
      role: 'assistant',
      content: blocks.filter((block) => block.text === undefined || block.text.trim() !== ''),
    },
    usage: readTokenUsage(output.usage),
  };
}

export function readTokenUsage(usage: TokenUsage | undefined): Usage | null {
  if (usage === undefined) return null;
  return {
    input: usage.inputTokens ?? 0,
    output: usage.outputTokens ?? 0,
    cache_read: usage.cacheReadInputTokens ?? 0,
    cache_write: usage.cacheWriteInputTokens ?? 0,
  };
}

/** The message of a refused call, with what to check. */
export function withModelHint(message: string, model: string): string {
  if (!/^(?:ResourceNotFound|AccessDenied)Exception/.test(message)) return message;
  const form = model.includes('anthropic') ? ', and that the use-case form for Anthropic models is filed' : '';
  return `${message} (check that "${model}" is enabled in this account and region and that the role may bedrock:InvokeModel it${form})`;
}

function textOf(block: ContentBlock): string {
  if (block.citationsContent !== undefined)
    return (block.citationsContent.content ?? []).map((part) => part.text ?? '').join('');
  return block.text ?? '';
}
