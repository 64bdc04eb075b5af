import { isJsonObject, type JsonObject, type JsonValue, jsonToText } from '../json.ts';
import type { TrajectoryStep } from '../schemas/trajectory.ts';
import { addMessage, isMessageList } from './from-messages.ts';
import { argumentsOf, jsonOrText, partsOf, plainResult } from './message-parts.ts';
import { type Span, spansOf } from './read-spans.ts';
import { StepBuilder } from './step-builder.ts';
import type { Trace } from './trace.ts';

const MODEL_OPERATIONS = ['chat', 'generate_content', 'text_completion'];

/**
 * OpenTelemetry GenAI spans as traces, one for each trace id, in the order they began: model calls (`chat`) give
 * thoughts, calls and the answer, `execute_tool` spans the calls with their results or errors, `invoke_agent` the task
 * and the answer where the model's messages were not recorded. A failed agent span is a crash.
 */
export function tracesFromSpans(record: JsonValue): readonly (Trace & { readonly traceId: string })[] {
  const byTrace = Map.groupBy(spansOf(record), (span) => span.traceId);
  return [...byTrace]
    .map(([traceId, spans]) => ({ traceId, ...traceOf(spans) }))
    .filter(({ task, trajectory }) => task !== null || trajectory.steps.length > 0);
}

function traceOf(spans: readonly Span[]): Trace {
  const builder = new StepBuilder();
  const ordered = spans.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0));
  const agents = ordered.filter((span) => operationOf(span) === 'invoke_agent');
  const hasModelMessages = ordered.some((span) => isModelSpan(span) && outputOf(span).length > 0);
  for (const span of ordered) {
    if (isModelSpan(span)) addModelCall(span, builder);
    else if (operationOf(span) === 'execute_tool') addToolCall(span, builder);
  }
  const built = builder.build(crashOf(ordered, agents));
  const root = agents[0];
  if (root === undefined) return built;
  const task = built.task ?? userText(root);
  const answer = hasModelMessages ? '' : textOf(outputOf(root));
  if (answer === '') return { ...built, task };
  const steps = [...built.trajectory.steps, { type: 'answer' as const, content: answer }];
  return { task, trajectory: { ...built.trajectory, steps, final_answer: answer } };
}

/** The outermost agent, or the outermost span of all, failed: nothing came of it. */
function crashOf(spans: readonly Span[], agents: readonly Span[]): string | null {
  const ids = new Set(spans.map((span) => span.spanId));
  const root = agents[0] ?? spans.find((span) => span.parentId === null || !ids.has(span.parentId));
  return root === undefined || operationOf(root) === 'execute_tool' ? null : root.error;
}

function addModelCall(span: Span, builder: StepBuilder): void {
  const before = builder.stepCount;
  if (before === 0) builder.user(userText(span) ?? '');
  // Where tools have no spans, their results stand in the next request.
  for (const message of messagesIn(span, 'gen_ai.input.messages')) {
    for (const part of partsOf(message.parts ?? message.content)) {
      if (part.kind === 'result' && part.id !== null) builder.result(part.id, null, { result: part.value });
    }
    if (message.role === 'tool' && typeof message.tool_call_id === 'string') {
      builder.result(message.tool_call_id, null, { result: plainResult(message.content ?? null) });
    }
  }
  const first = builder.stepCount;
  for (const parts of outputOf(span)) addMessage({ role: 'assistant', parts, tool: null }, builder);
  builder.cost(first, { ...latencyOf(span), ...tokensOf(span) });
}

function addToolCall(span: Span, builder: StepBuilder): void {
  const { attributes, error } = span;
  const id = textAttribute(attributes, 'gen_ai.tool.call.id');
  const name = textAttribute(attributes, 'gen_ai.tool.name') ?? span.name.replace(/^execute_tool /, '');
  const args = attributes['gen_ai.tool.call.arguments'];
  const result = attributes['gen_ai.tool.call.result'];
  // Without an id it cannot be told from a call that the model's message named: then the message is the call.
  if (id !== null || !builder.hasOpenCall(name)) builder.call(id, name, argumentsOf(args), latencyOf(span));
  if (error !== null) builder.result(id, name, { error: result === undefined ? error : jsonToText(result) });
  else if (result !== undefined)
    builder.result(id, name, { result: typeof result === 'string' ? jsonOrText(result) : result });
}

const operationOf = ({ attributes }: Span): string | null => textAttribute(attributes, 'gen_ai.operation.name');
const isModelSpan = (span: Span): boolean => MODEL_OPERATIONS.includes(operationOf(span) ?? '');

function outputOf(span: Span): readonly (readonly ReturnType<typeof partsOf>[number][])[] {
  return messagesIn(span, 'gen_ai.output.messages')
    .map((message) => partsOf(message.parts ?? message.content))
    .filter((parts) => parts.length > 0);
}

function userText(span: Span): string | null {
  const user = messagesIn(span, 'gen_ai.input.messages').find((message) => message.role === 'user');
  const text = user === undefined ? '' : textOf([partsOf(user.parts ?? user.content)]);
  return text === '' ? null : text;
}

const textOf = (messages: readonly ReturnType<typeof partsOf>[]): string =>
  messages.flatMap((parts) => parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))).join('\n');

/** An attribute may hold the messages themselves, or their JSON text. */
function messagesIn({ attributes }: Span, name: string): readonly JsonObject[] {
  const given = attributes[name];
  const value = typeof given === 'string' ? jsonOrText(given) : (given ?? null);
  if (isMessageList(value)) return value;
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textAttribute(attributes: JsonObject, name: string): string | null {
  const value = attributes[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

function latencyOf({ startMs, endMs }: Span): Pick<TrajectoryStep, 'latency_ms'> {
  return startMs === null || endMs === null || endMs < startMs ? {} : { latency_ms: endMs - startMs };
}

function tokensOf({ attributes }: Span): Pick<TrajectoryStep, 'tokens'> {
  const counts = [attributes['gen_ai.usage.input_tokens'], attributes['gen_ai.usage.output_tokens']].map(Number);
  return counts.every((count) => Number.isSafeInteger(count) && count >= 0)
    ? { tokens: counts.reduce((a, b) => a + b, 0) }
    : {};
}
