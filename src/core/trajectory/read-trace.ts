import { isJsonObject, type JsonValue } from '../json.ts';
import { isMessageList, traceFromMessages } from './from-messages.ts';
import { tracesFromSpans } from './from-spans.ts';
import { isStepRecord, traceFromSteps } from './from-steps.ts';
import { isSpanRecord } from './read-spans.ts';
import type { Trace } from './trace.ts';

const MESSAGE_KEYS = ['messages', 'trajectory', 'output', 'input'];

/**
 * A trace in any form that is known: steps, a list of messages (or an object that holds one as `messages`), or
 * OpenTelemetry spans of one trace. Null: none of these.
 */
export function readTrace(value: JsonValue): Trace | { readonly fault: string } | null {
  if (isMessageList(value)) return traceFromMessages(value);
  if (isSpanRecord(value)) {
    const traces = tracesFromSpans(value);
    const [only, second] = traces;
    if (only === undefined) return { fault: 'the spans hold no model or tool calls (gen_ai.operation.name)' };
    return second === undefined ? only : { fault: `the spans belong to ${traces.length} traces` };
  }
  if (isStepRecord(value)) return traceFromSteps(value);
  if (isJsonObject(value)) {
    for (const key of MESSAGE_KEYS) {
      const list = value[key];
      if (list !== undefined && isMessageList(list)) return withOwnTask(value, traceFromMessages(list));
    }
  }
  if (Array.isArray(value) && value.length > 0) return traceFromSteps({ steps: value });
  return null;
}

/** A task or an error beside the messages says more than they do. */
function withOwnTask(record: { [key: string]: JsonValue }, trace: Trace): Trace {
  const task = [record.task, record.query, record.question].find((text) => typeof text === 'string' && text !== '');
  const { error } = record;
  return {
    task: typeof task === 'string' ? task : trace.task,
    trajectory: typeof error === 'string' ? { ...trace.trajectory, error } : trace.trajectory,
  };
}
