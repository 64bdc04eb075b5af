import { isJsonObject, type JsonObject, type JsonValue, jsonToText } from '../json.ts';
import { argumentsOf, type MessagePart, partsOf, plainResult } from './message-parts.ts';
import { StepBuilder } from './step-builder.ts';
import type { Trace } from './trace.ts';

/** A list of messages, as chat APIs and agent frameworks keep them, perhaps with items of other kinds between them. */
export function isMessageList(value: JsonValue): value is JsonObject[] {
  return (
    Array.isArray(value) &&
    value.every((item) => isJsonObject(item) && !STEP_TYPES.includes(String(item.type))) &&
    value.some((item) => isJsonObject(item) && readMessage(item) !== null)
  );
}

/** Steps of ours are no messages. */
const STEP_TYPES = ['thought', 'tool_call', 'observation', 'answer'];

/**
 * Messages of OpenAI (Chat Completions and Responses), LangChain, Anthropic or Bedrock Converse as a trace. The first
 * user message is the task; words beside a call are a thought, words without one the answer; a result goes to its call,
 * and a tool's error is kept as one.
 */
export function traceFromMessages(messages: readonly JsonObject[]): Trace {
  const builder = new StepBuilder();
  for (const raw of messages) {
    const message = readMessage(raw);
    if (message !== null) addMessage(message, builder);
  }
  return builder.build();
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly MessagePart[];
  /** Tool that a `tool` message comes from, where only its name is known. */
  readonly tool: string | null;
}

export function addMessage({ role, parts, tool }: Message, builder: StepBuilder): void {
  const calls = parts.some((part) => part.kind === 'call');
  const words: string[] = [];
  for (const part of parts) {
    if (part.kind === 'result') addResult(part, tool, builder);
    else if (part.kind === 'call') builder.call(part.id, part.name, part.args);
    else if (role === 'assistant' && (part.kind === 'thought' || calls)) builder.thought(part.text);
    else words.push(part.text);
  }
  const text = words.join('\n');
  if (role === 'user') builder.user(text);
  else if (role === 'assistant' && text.trim() !== '') builder.finalAnswer(text);
}

function addResult(part: Extract<MessagePart, { kind: 'result' }>, tool: string | null, builder: StepBuilder): void {
  builder.result(part.id, tool, part.isError ? { error: jsonToText(part.value) } : { result: part.value });
}

const ROLES: Readonly<Record<string, Message['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  tool: 'tool',
  function: 'tool',
  SystemMessage: 'system',
  HumanMessage: 'user',
  HumanMessageChunk: 'user',
  AIMessage: 'assistant',
  AIMessageChunk: 'assistant',
  ToolMessage: 'tool',
  FunctionMessage: 'tool',
};

/** A message in any of the forms; null when it is none. */
function readMessage(raw: JsonObject): Message | null {
  // LangChain, dumped: {lc, id: […, "AIMessage"], kwargs} or {type: "ai", data}.
  if (isJsonObject(raw.kwargs) && Array.isArray(raw.id)) return build(ROLES[String(raw.id.at(-1))], raw.kwargs);
  if (isJsonObject(raw.data) && typeof raw.type === 'string') return build(ROLES[raw.type], raw.data);
  // OpenAI's Responses API: calls and their outputs are items of their own.
  if (raw.type === 'function_call') {
    const call = {
      type: 'tool_call',
      id: raw.call_id ?? raw.id ?? null,
      name: raw.name ?? null,
      arguments: raw.arguments ?? null,
    };
    return { role: 'assistant', parts: partsOf([call]), tool: null };
  }
  if (raw.type === 'function_call_output') {
    const id = typeof raw.call_id === 'string' ? raw.call_id : null;
    const value = plainResult(raw.output ?? null);
    return { role: 'tool', parts: [{ kind: 'result', id, value, isError: false }], tool: null };
  }
  if (raw.type === 'reasoning') return { role: 'assistant', parts: partsOf([raw]), tool: null };
  const role =
    typeof raw.role === 'string' ? ROLES[raw.role] : typeof raw.type === 'string' ? ROLES[raw.type] : undefined;
  // Steps of ours have a type and content, too, but none of these roles.
  return build(role, raw);
}

function build(role: Message['role'] | undefined, raw: JsonObject): Message | null {
  if (role === undefined) return null;
  const tool = typeof raw.name === 'string' ? raw.name : null;
  if (role === 'tool' && raw.parts === undefined && !isConverse(raw.content)) {
    const id = typeof raw.tool_call_id === 'string' ? raw.tool_call_id : null;
    const isError = raw.status === 'error' || raw.is_error === true;
    return { role, parts: [{ kind: 'result', id, value: plainResult(raw.content ?? null), isError }], tool };
  }
  const content = partsOf(raw.parts ?? raw.content);
  const reasoning =
    typeof raw.reasoning_content === 'string' ? partsOf([{ type: 'reasoning', content: raw.reasoning_content }]) : [];
  const known = new Set(content.flatMap((part) => (part.kind === 'call' && part.id !== null ? [part.id] : [])));
  // LangChain keeps the same calls in the blocks and beside them.
  const calls = callsBeside(raw).filter((call) => call.kind !== 'call' || call.id === null || !known.has(call.id));
  return { role, parts: [...reasoning, ...content, ...calls], tool };
}

function callsBeside(raw: JsonObject): readonly MessagePart[] {
  const listed = Array.isArray(raw.tool_calls) ? raw.tool_calls : [];
  const legacy: JsonObject[] = isJsonObject(raw.function_call) ? [{ function: raw.function_call }] : [];
  return [...listed, ...legacy].flatMap((call): MessagePart[] => {
    if (!isJsonObject(call)) return [];
    const of: JsonObject = isJsonObject(call.function) ? call.function : call;
    if (typeof of.name !== 'string') return [];
    const id = typeof call.id === 'string' && call.id !== '' ? call.id : null;
    return [{ kind: 'call', id, name: of.name, args: argumentsOf(of.arguments ?? of.args) }];
  });
}

/** A tool role with blocks that are results already (Anthropic and Converse put them into a user message). */
function isConverse(content: JsonValue | undefined): boolean {
  return (
    Array.isArray(content) &&
    content.some((block) => isJsonObject(block) && (block.toolResult !== undefined || block.type === 'tool_result'))
  );
}
