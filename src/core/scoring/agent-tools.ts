import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { RowChecks } from '../schemas/row.ts';
import { type Score, scored } from '../schemas/score.ts';
import type { Trajectory, TrajectoryStep } from '../schemas/trajectory.ts';
import { firstDifference } from './checks/json-equality.ts';
import { shorten } from './checks/shorten.ts';

export interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

export interface ToolScoring {
  readonly score: Score;
  /** The checks that did not hold, such as `must_call: search`. */
  readonly failed: readonly string[];
}

/** Every call an agent made, those that came back with an error too. An observation only repeats a call. */
export function toolCallsOf({ steps }: Trajectory): readonly ToolCall[] {
  return steps.flatMap((step) => callOf(step) ?? []);
}

/**
 * `tool_score`: checks that hold ÷ all of `must_call`, `must_not_call`, `must_call_with`; 1 without any. Presence only,
 * and duplicates in a list count each. `calls` null: nobody knows what was called, so nothing holds.
 */
export function scoreTools(calls: readonly ToolCall[] | null, checks: RowChecks): ToolScoring {
  const results = toolChecks(checks).map(({ name, holds }) => ({ name, held: calls !== null && holds(calls) }));
  const failed = results.filter(({ held }) => !held).map(({ name }) => name);
  if (results.length === 0) return { score: scored(1, 'no tool checks'), failed };
  const held = results.length - failed.length;
  const why = calls === null ? ': the target gave no trajectory' : '';
  const missed = failed.length === 0 ? '' : `; not: ${[...new Set(failed)].slice(0, 10).join(', ')}`;
  return {
    score: scored(held / results.length, `${held} of ${results.length} tool checks hold${why}${missed}`, {
      raw_score: held,
      scale: [0, results.length],
    }),
    failed,
  };
}

/** Whether a row asks anything of the tools or steps, so that a trajectory is needed. */
export function stepChecksOf(checks: RowChecks): readonly string[] {
  const lists = (['must_call', 'must_not_call', 'must_call_with'] as const).filter((name) => checks[name]?.length);
  const limits = (['max_steps', 'max_tool_calls'] as const).filter((name) => checks[name] !== undefined);
  return [...lists, ...limits];
}

/** Whether a call has every wanted argument, equal in depth; further arguments are allowed. */
export function hasArguments(given: JsonObject, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(given, key) && firstDifference(given[key] as JsonValue, value) === null,
  );
}

interface ToolCheck {
  readonly name: string;
  holds(calls: readonly ToolCall[]): boolean;
}

function toolChecks({ must_call = [], must_not_call = [], must_call_with = [] }: RowChecks): readonly ToolCheck[] {
  const isCalled = (calls: readonly ToolCall[], tool: string) => calls.some(({ name }) => name === tool);
  return [
    ...must_call.map((tool) => ({
      name: `must_call: ${tool}`,
      holds: (calls: readonly ToolCall[]) => isCalled(calls, tool),
    })),
    ...must_not_call.map((tool) => ({
      name: `must_not_call: ${tool}`,
      holds: (calls: readonly ToolCall[]) => !isCalled(calls, tool),
    })),
    ...must_call_with.map(({ tool, args }) => ({
      name: `must_call_with: ${tool} ${JSON.parse(shorten(canonicalJson(args))) as string}`,
      holds: (calls: readonly ToolCall[]) =>
        calls.some((call) => call.name === tool && hasArguments(call.arguments, args)),
    })),
  ];
}

function callOf({ type, tool_call, content }: TrajectoryStep): ToolCall | null {
  if (type === 'observation') return null;
  if (tool_call != null) return { name: tool_call.name, arguments: argumentsOf(tool_call.arguments) };
  // A call written as its name alone.
  return type === 'tool_call' ? { name: content?.trim() ?? '', arguments: {} } : null;
}

/** Some agents hand arguments on as JSON text. */
function argumentsOf(value: JsonValue | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  if (typeof value !== 'string') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
