import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { InlineCheckpoint, InlineChild } from './checkpoint.ts';
import type { MapState, ParallelState, Workflow } from './definition.ts';
import { evaluate, evaluateAs, evaluateNumber, jsonType, queryError, type Scope } from './expression.ts';
import { Interrupted, StateFailure } from './failure.ts';
import { childSignal, type ScopeRun } from './runtime.ts';

export type RunScope = (run: ScopeRun) => Promise<JsonValue>;

/** Iterations of an inline Map that the service runs side by side at most. */
const MAX_INLINE = 40;

export async function runParallel(
  run: ScopeRun,
  state: ParallelState,
  scope: Scope,
  runScope: RunScope,
): Promise<JsonValue> {
  const { input } = scope.states;
  const start = async (): Promise<InlineChild[]> => {
    const given = state.Arguments === undefined ? input : await evaluate(state.Arguments, scope, 'Arguments');
    return state.branches.map((branch) => newChild(branch, given, scope.variables));
  };
  const container = await open(run, start);
  return runAll(run, container, (index) => state.branches[index] as Workflow, state.branches.length, runScope);
}

export async function runInlineMap(
  run: ScopeRun,
  state: MapState,
  scope: Scope,
  runScope: RunScope,
): Promise<JsonValue> {
  const most = await evaluateNumber(state.MaxConcurrency ?? 0, scope, 'MaxConcurrency', { min: 0, integer: true });
  const start = async (): Promise<InlineChild[]> => {
    const children: InlineChild[] = [];
    for (const [index, value] of (await mapItems(state, scope)).entries()) {
      const item = { Item: { Index: index, Value: value } };
      const input = await selectItem(state, scope, item, value);
      children.push({ ...newChild(state.processor, input, scope.variables), item });
    }
    return children;
  };
  const container = await open(run, start);
  return runAll(run, container, () => state.processor, Math.min(most || MAX_INLINE, MAX_INLINE), runScope);
}

/** The items of a Map that reads none from S3. */
export async function mapItems(state: MapState, scope: Scope): Promise<JsonValue[]> {
  if (state.Items !== undefined) return evaluateAs<JsonValue[]>(state.Items, scope, 'Items', 'array');
  const { input } = scope.states;
  if (jsonType(input) === 'array') return input as JsonValue[];
  throw queryError(scope.state, `Map state input must be an array but was: ${JSON.stringify(input)}`);
}

/** Input made of one item. `map` is `$states.context.Map` for the selector. */
export async function selectItem(state: MapState, scope: Scope, map: JsonObject, value: JsonValue): Promise<JsonValue> {
  if (state.ItemSelector === undefined) return value;
  const context = { ...scope.states.context, Map: map };
  return evaluate(state.ItemSelector, { ...scope, states: { ...scope.states, context } }, 'ItemSelector');
}

function newChild(workflow: Workflow, input: JsonValue, variables: JsonObject): InlineChild & { status: 'unfinished' } {
  return { status: 'unfinished', scope: { state: workflow.startAt, input, variables: { ...variables } } };
}

/** The children of an earlier attempt where there are any. */
async function open(run: ScopeRun, start: () => Promise<InlineChild[]>): Promise<InlineCheckpoint> {
  const { checkpoint } = run;
  if (checkpoint.container?.kind === 'inline') return checkpoint.container;
  const container: InlineCheckpoint = { kind: 'inline', children: await start() };
  checkpoint.container = container;
  return container;
}

/** Outputs in order. The first failure interrupts the other children and is the container's own. */
async function runAll(
  run: ScopeRun,
  { children }: InlineCheckpoint,
  workflowOf: (index: number) => Workflow,
  concurrency: number,
  runScope: RunScope,
): Promise<JsonValue[]> {
  const group = childSignal(run.signal);
  let failure: unknown;
  let next = 0;
  const worker = async () => {
    while (next < children.length && failure === undefined) {
      const index = next++;
      const child = children[index];
      if (child?.status !== 'unfinished') continue;
      const context = child.item === undefined ? run.context : { ...run.context, Map: child.item };
      try {
        const output = await runScope({
          ...run,
          workflow: workflowOf(index),
          context,
          signal: group.signal,
          checkpoint: child.scope,
        });
        children[index] = { status: 'succeeded', output };
      } catch (error) {
        failure ??= error;
        group.abort(new Interrupted('a branch or iteration beside this one failed'));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, children.length) }, worker));
  group.release();
  run.signal.throwIfAborted();
  if (failure !== undefined) throw failure;
  return children.map((child) => {
    if (child.status !== 'succeeded') throw new StateFailure('States.Runtime', 'a child was left unfinished');
    return child.output;
  });
}
