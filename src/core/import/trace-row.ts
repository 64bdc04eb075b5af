import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, sha256Hex } from '../json.ts';
import type { Trajectory } from '../schemas/trajectory.ts';
import type { Trace } from '../trajectory/trace.ts';

/** Room that a rerun gets over what was recorded, as supereval gives it. */
const STEP_ROOM = 1.5;
const MIN_STEPS = 3;

export interface TraceRow {
  readonly row: JsonObject;
  readonly warnings: readonly string[];
}

/**
 * A recorded trace as a row of an agent dataset, or why it makes none. What the agent called it must call again; what
 * the tools gave back are the mocks, each for its own arguments; the final answer is what is expected. The trace
 * itself stays with the row, so that a `recorded` target can score it at once.
 */
export function rowFromTrace({ task, trajectory }: Trace, meta: JsonObject): TraceRow | { readonly skipped: string } {
  if (task === null) return { skipped: 'nothing says what the agent was asked' };
  if (typeof trajectory.error === 'string') return { skipped: `the agent crashed: ${trajectory.error.slice(0, 100)}` };
  const answer = trajectory.final_answer ?? null;
  const calls = trajectory.steps.flatMap((step) => step.tool_call ?? []);
  const warnings: string[] = [];
  if (answer === null || answer.trim() === '') warnings.push('has no final answer, so none is expected');
  const unanswered = calls.filter((call) => call.result === undefined && typeof call.error !== 'string');
  if (unanswered.length > 0) warnings.push(`no result was recorded for ${names(unanswered)}: the mock gives null`);
  const { description, difficulty, tags, cluster } = meta;
  const row: JsonObject = {
    id: `trace-${sha256Hex(canonicalJson([task, trajectory])).slice(0, 12)}`,
    input: task,
    expected: answer === null || answer.trim() === '' ? null : answer,
    checks: {
      answer_match: 'contains',
      must_call: [...new Set(calls.map((call) => call.name))],
      max_steps: Math.max(MIN_STEPS, Math.ceil(trajectory.steps.length * STEP_ROOM)),
      max_tool_calls: Math.max(1, calls.length + 1),
    },
    tools: mocksOf(calls),
    trajectory: trajectory as JsonObject,
  };
  if (Array.isArray(tags)) row.tags = tags;
  if (typeof difficulty === 'string') row.difficulty = difficulty;
  if (typeof cluster === 'string') row.cluster = cluster;
  if (typeof description === 'string' && description !== '') row.metadata = { description };
  return { row, warnings };
}

type Call = NonNullable<Trajectory['steps'][number]['tool_call']>;

/**
 * Mocks of the tools that were called. A tool that always got the same arguments answers any call, so that a harmless
 * other wording still gets an answer; one that got several answers each with what it gave then, and a call that was
 * repeated gets its results in their order.
 */
function mocksOf(calls: readonly Call[]): JsonObject[] {
  const mocks: JsonObject[] = [];
  for (const [name, ofTool] of Map.groupBy(calls, (call) => call.name)) {
    const byArguments = Map.groupBy(ofTool, (call) => canonicalJson(call.arguments ?? {}));
    const groups = [...byArguments.values()].toSorted((a, b) => keyCount(b[0]) - keyCount(a[0]));
    for (const group of groups) {
      const args = group[0]?.arguments ?? {};
      // The most particular arguments come first: {a} also holds in {a, b}.
      const when: JsonObject = groups.length > 1 && isJsonObject(args) ? { when: args } : {};
      mocks.push({ name, ...when, ...outcomes(group) });
    }
  }
  return mocks;
}

function outcomes(calls: readonly Call[]): JsonObject {
  const all = calls.map(outcomeOf);
  const [first = {}] = all;
  return all.every((one) => canonicalJson(one) === canonicalJson(first)) ? first : { sequence: all };
}

function outcomeOf({ result, error }: Call): JsonObject {
  return typeof error === 'string' ? { error } : { response: (result ?? null) as JsonValue };
}

const keyCount = (call: Call | undefined): number =>
  Object.keys(isJsonObject(call?.arguments) ? call.arguments : {}).length;
const names = (calls: readonly Call[]): string => [...new Set(calls.map((call) => call.name))].join(', ');
