import * as z from 'zod';
import { findIn } from '../dataset/json-limits.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { canonicalJson, isJsonObject, jsonToText } from '../json.ts';
import type { Usage } from '../schemas/answer.ts';
import type { Trajectory } from '../schemas/trajectory.ts';
import { TrajectorySchema } from '../schemas/trajectory.ts';
import { isMessageList } from '../trajectory/from-messages.ts';
import { isSpanRecord } from '../trajectory/read-spans.ts';
import { readTrace } from '../trajectory/read-trace.ts';

/**
 * Passages from what a target or a dataset gives: a list of texts or of objects with a `text`, a JSON list as text, or one text.
 * Empty ones drop. Undefined when it is none of these.
 */
export function passagesFrom(value: JsonValue): string[] | undefined {
  if (typeof value === 'string') {
    const list = value.trimStart().startsWith('[') ? parseJson(value) : undefined;
    return Array.isArray(list) ? passagesFrom(list) : [value].filter(isNotBlank);
  }
  if (!Array.isArray(value)) return undefined;
  return value
    .filter((item) => item !== null)
    .map(passageText)
    .filter(isNotBlank);
}

/**
 * A trajectory object, the list of its steps, a list of messages, OpenTelemetry spans, or any of them as JSON text; else what is
 * wrong with it.
 */
export function trajectoryFrom(value: JsonValue): Trajectory | { readonly fault: string } {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  const unkeepable = parsed === undefined ? null : findIn(parsed, 0);
  if (unkeepable !== null) return { fault: unkeepable.message };
  // Messages and spans first: in our own steps neither occurs.
  const isOther = parsed !== undefined && (isMessageList(messagesOf(parsed)) || isSpanRecord(parsed));
  const trace = isOther ? readTrace(parsed) : null;
  if (trace !== null) return 'fault' in trace ? trace : trace.trajectory;
  const result = TrajectorySchema.safeParse(Array.isArray(parsed) ? { steps: parsed } : parsed);
  if (result.success) return result.data;
  return { fault: z.prettifyError(result.error).split('\n').slice(0, 2).join(' ').replace(/\s+/g, ' ') };
}

/** An agent's state often holds its messages under that name. */
function messagesOf(value: JsonValue): JsonValue {
  return isJsonObject(value) && value.steps === undefined ? (value.messages ?? null) : value;
}

/** The trajectory's own answer: `final_answer`, else its last answer step. */
export function finalAnswerOf(trajectory: Trajectory): string | undefined {
  return trajectory.final_answer ?? trajectory.steps.findLast((step) => step.type === 'answer')?.content;
}

/**
 * Tokens as OpenAI, Anthropic, Bedrock or we spell them; null when the counts are not there.
 * OpenAI counts cached tokens within the prompt, Anthropic and Bedrock beside it: here they always stand beside it.
 */
export function usageFrom(value: JsonValue): Usage | null {
  if (!isJsonObject(value)) return null;
  const input = count(value, ['prompt_tokens', 'input_tokens', 'inputTokens', 'promptTokens', 'input']);
  const output = count(value, ['completion_tokens', 'output_tokens', 'outputTokens', 'completionTokens', 'output']);
  if (input === undefined || output === undefined) return null;
  const beside = count(value, ['cache_read_input_tokens', 'cacheReadInputTokens', 'cache_read']) ?? 0;
  const within = cachedWithin(value);
  return {
    input: Math.max(0, input - within),
    output,
    cache_read: beside + within,
    cache_write: count(value, ['cache_creation_input_tokens', 'cacheWriteInputTokens', 'cache_write']) ?? 0,
  };
}

/** Dollars from a number or a number as text; null when it is neither, negative or not finite. */
export function dollarsFrom(value: JsonValue): number | null {
  const usd = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof usd === 'number' && Number.isFinite(usd) && usd >= 0 ? usd : null;
}

function cachedWithin(usage: JsonObject): number {
  for (const details of [usage.prompt_tokens_details, usage.input_tokens_details]) {
    const cached = isJsonObject(details) ? count(details, ['cached_tokens']) : undefined;
    if (cached !== undefined) return cached;
  }
  return count(usage, ['cachedInputTokens']) ?? 0;
}

function count(from: JsonObject, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  }
  return undefined;
}

function passageText(item: JsonValue): string {
  if (!isJsonObject(item)) return jsonToText(item);
  const text = [item.text, item.content, item.page_content].find((part) => typeof part === 'string');
  return text ?? canonicalJson(item);
}

function isNotBlank(text: string): boolean {
  return text.trim() !== '';
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
