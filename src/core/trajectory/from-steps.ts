import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { plainResult } from './message-parts.ts';
import { StepBuilder } from './step-builder.ts';
import type { Trace } from './trace.ts';

/** `{task, steps}` as supereval's traces have it, or a trajectory of ours with the task beside it. */
export function isStepRecord(value: JsonValue): value is JsonObject & { steps: JsonValue[] } {
  return isJsonObject(value) && Array.isArray(value.steps);
}

/**
 * A trace in steps. An observation after a call is its result, where the call has none of its own; a tool's error is
 * kept. `final_answer`, else the last answer step. `error`, even empty: the agent crashed.
 */
export function traceFromSteps(record: JsonObject & { steps: JsonValue[] }): Trace | { readonly fault: string } {
  const builder = new StepBuilder();
  for (const [index, step] of record.steps.entries()) {
    const fault = isJsonObject(step) ? addStep(step, builder) : 'is no object';
    if (fault !== null) return { fault: `steps.${index} ${fault}` };
  }
  const { trajectory } = builder.build(typeof record.error === 'string' ? record.error : null);
  const given = record.final_answer;
  const last = trajectory.steps.findLast((step) => step.type === 'answer')?.content ?? null;
  const task = [record.task, record.input, record.query].find((text) => typeof text === 'string' && text.trim() !== '');
  return {
    task: typeof task === 'string' ? task : null,
    trajectory: { ...trajectory, final_answer: typeof given === 'string' ? given : last },
  };
}

function addStep(step: JsonObject, builder: StepBuilder): string | null {
  const content = typeof step.content === 'string' ? step.content : '';
  switch (step.type) {
    case 'thought':
      builder.thought(content);
      return null;
    case 'answer':
      builder.finalAnswer(content);
      return null;
    case 'tool_call':
      return addCall(step, builder);
    case 'observation':
      if (content.startsWith('[user]')) builder.observation(content);
      else builder.result(null, null, { result: plainResult(content) });
      return null;
    default:
      return `has the type ${JSON.stringify(step.type ?? null)}; known are thought, tool_call, observation and answer`;
  }
}

function addCall(step: JsonObject, builder: StepBuilder): string | null {
  const call = isJsonObject(step.tool_call) ? step.tool_call : step;
  const name = call.name ?? call.tool;
  if (typeof name !== 'string' || name === '') return 'is a call of no tool';
  const latency_ms = typeof step.latency_ms === 'number' && step.latency_ms > 0 ? { latency_ms: step.latency_ms } : {};
  const id = `step ${builder.stepCount}`;
  builder.call(id, name, call.arguments, latency_ms);
  if (typeof call.error === 'string') builder.result(id, name, { error: call.error });
  else if (call.result != null) builder.result(id, name, { result: call.result });
  return null;
}
