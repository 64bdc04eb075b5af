import type { JsonValue } from '../../core/json.ts';
import type { TaskState } from './definition.ts';
import { evaluate, evaluateNumber, type Scope } from './expression.ts';
import { Interrupted, inState, StateFailure } from './failure.ts';
import { checkPayload } from './payload.ts';
import { childSignal, type ScopeRun, untilAborted } from './runtime.ts';

/** One call of a Task's resource. */
export async function runTask(run: ScopeRun, state: TaskState, scope: Scope): Promise<JsonValue> {
  const { input } = scope.states;
  const args = state.Arguments === undefined ? input : await evaluate(state.Arguments, scope, 'Arguments');
  checkPayload(args, `The state/task '${scope.state}' was given arguments`);
  const bounds = { min: 1, max: 99_999_999, integer: true };
  const seconds =
    state.TimeoutSeconds === undefined
      ? undefined
      : await evaluateNumber(state.TimeoutSeconds, scope, 'TimeoutSeconds', bounds);
  if (seconds === undefined) return call(run, state, scope, args, run.signal);

  const deadline = childSignal(run.signal);
  const alarm = new AbortController();
  const late = new StateFailure('States.Timeout', inState(scope.state, `The task took longer than ${seconds} s.`));
  run.runtime.clock.sleep(seconds * 1000, alarm.signal).then(
    () => deadline.abort(late),
    () => {},
  );
  try {
    return await call(run, state, scope, args, deadline.signal);
  } finally {
    alarm.abort();
    deadline.release();
  }
}

async function call(
  run: ScopeRun,
  state: TaskState,
  scope: Scope,
  args: JsonValue,
  signal: AbortSignal,
): Promise<JsonValue> {
  const resource = run.runtime.services.tasks[state.Resource];
  if (resource === undefined)
    throw new StateFailure('States.Runtime', inState(scope.state, `No service for ${state.Resource}.`));
  try {
    return await untilAborted(resource(args, { state: scope.state, execution: run.name, signal }), signal);
  } catch (error) {
    if (error instanceof StateFailure || error instanceof Interrupted) throw error;
    // The host broke: told at once and never retried, so that it is seen.
    const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new StateFailure('States.Runtime', inState(scope.state, `The service behind the task broke. ${told}`));
  }
}
