import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** A part of a message, whoever's form it came in. */
export type MessagePart =
  | { readonly kind: 'text' | 'thought'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string | null; readonly name: string; readonly args: JsonValue | undefined }
  | { readonly kind: 'result'; readonly id: string | null; readonly value: JsonValue; readonly isError: boolean };

/**
 * The content of a message: text, or blocks as OpenAI, Anthropic, Bedrock Converse and OpenTelemetry (`parts`) write
 * them. Blocks that hold neither words nor calls (images, files) are left out.
 */
export function partsOf(content: JsonValue | undefined): readonly MessagePart[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return isJsonObject(content) ? blockParts(content) : [];
  return content.flatMap((block) => (isJsonObject(block) ? blockParts(block) : partsOf(block)));
}

function blockParts(block: JsonObject): readonly MessagePart[] {
  if (isJsonObject(block.toolUse)) return callPart(block.toolUse, block.toolUse.toolUseId, block.toolUse.input);
  if (isJsonObject(block.toolResult)) {
    const { toolUseId, content, status } = block.toolResult;
    return [resultPart(toolUseId, converseResult(content ?? null), status === 'error')];
  }
  if (isJsonObject(block.reasoningContent)) {
    const inner = block.reasoningContent.reasoningText;
    return textPart('thought', isJsonObject(inner) ? inner.text : inner);
  }
  switch (block.type) {
    case 'tool_use':
      return callPart(block, block.id, block.input);
    case 'tool_result':
      return [resultPart(block.tool_use_id, plainResult(block.content ?? null), block.is_error === true)];
    case 'tool_call':
      return callPart(block, block.id, block.arguments ?? block.args);
    case 'tool_call_response':
      return [resultPart(block.id, plainResult(block.response ?? block.result ?? block.content ?? null), false)];
    case 'thinking':
    case 'reasoning':
      return textPart('thought', block.thinking ?? block.content ?? block.text ?? summaryOf(block.summary));
    default:
      return textPart('text', block.text ?? block.content);
  }
}

function textPart(kind: 'text' | 'thought', text: JsonValue | undefined): readonly MessagePart[] {
  return typeof text === 'string' && text.trim() !== '' ? [{ kind, text }] : [];
}

function callPart(of: JsonObject, id: JsonValue | undefined, args: JsonValue | undefined): readonly MessagePart[] {
  if (typeof of.name !== 'string') return [];
  return [{ kind: 'call', id: idOf(id), name: of.name, args: argumentsOf(args) }];
}

function resultPart(id: JsonValue | undefined, value: JsonValue, isError: boolean): MessagePart {
  return { kind: 'result', id: idOf(id), value, isError };
}

/** OpenAI gives arguments as JSON text; what is no JSON stays the text that the model wrote. */
export function argumentsOf(args: JsonValue | undefined): JsonValue | undefined {
  return typeof args === 'string' ? (args.trim() === '' ? {} : jsonOrText(args)) : args;
}

/** Text that spells an object or a list is that; other text stays text. */
export function jsonOrText(text: string): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** What a tool gave back: text, blocks of text as their text, or any JSON. */
export function plainResult(content: JsonValue): JsonValue {
  if (typeof content === 'string') return jsonOrText(content);
  if (!Array.isArray(content) || content.length === 0) return content;
  const texts = content.map((block) => (isJsonObject(block) && typeof block.text === 'string' ? block.text : null));
  return texts.every((text) => text !== null) ? jsonOrText(texts.join('\n')) : content;
}

function converseResult(content: JsonValue): JsonValue {
  const [only, ...others] = Array.isArray(content) ? content : [];
  if (others.length === 0 && isJsonObject(only) && only.json !== undefined) return only.json;
  return plainResult(content);
}

const idOf = (id: JsonValue | undefined): string | null => (typeof id === 'string' && id !== '' ? id : null);

function summaryOf(summary: JsonValue | undefined): string {
  if (!Array.isArray(summary)) return typeof summary === 'string' ? summary : '';
  return partsOf(summary)
    .flatMap((part) => ('text' in part ? [part.text] : []))
    .join('\n');
}
