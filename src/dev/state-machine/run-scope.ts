import { setImmediate } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { MapState, ParallelState, State, TaskState } from './definition.ts';
import { evaluate, type Scope } from './expression.ts';
import { isTerminal, StateFailure } from './failure.ts';
import { checkPayload } from './payload.ts';
import { recover, type Step } from './recovery.ts';
import { runInlineMap, runParallel } from './run-inline.ts';
import { runMapRun } from './run-map.ts';
import { chooseNext, failNow, wait } from './run-simple.ts';
import { runTask } from './run-task.ts';
import { enterState, type ScopeRun, withStates } from './runtime.ts';

/** A loop of states that never waits would keep the process from everything else. */
const STEPS_BETWEEN_BREATHS = 500;

/**
 * Runs states from the checkpoint's state on and gives the output of the last one; the checkpoint follows every step,
 * so that a redrive goes on where this ends. Throws StateFailure, or the signal's reason.
 */
export async function runScope(run: ScopeRun): Promise<JsonValue> {
  const { checkpoint, workflow, signal } = run;
  for (let steps = 1; ; steps += 1) {
    signal.throwIfAborted();
    const state = workflow.states.get(checkpoint.state);
    if (state === undefined) throw new Error(`no state ${checkpoint.state}`);
    const step = await runState(run, checkpoint.state, state);
    if (step.next === undefined) return step.output;
    checkpoint.state = step.next;
    checkpoint.input = step.output;
    checkpoint.variables = step.variables;
    delete checkpoint.container;
    if (steps % STEPS_BETWEEN_BREATHS === 0) await setImmediate();
  }
}

async function runState(run: ScopeRun, name: string, state: State): Promise<Step> {
  const { runtime, checkpoint } = run;
  const enteredMs = runtime.clock.now();
  runtime.emit({ type: 'StateEntered', execution: run.name, state: name });
  checkPayload(checkpoint.input, `The state '${name}' was given an input`);
  const step = await takeStep(run, name, state, enteredMs);
  checkPayload(step.output, `The state/task '${name}' returned a result`);
  for (const value of Object.values(step.assigned)) checkPayload(value, `The state '${name}' assigned a variable`);
  runtime.emit({ type: 'StateExited', execution: run.name, state: name });
  return step;
}

async function takeStep(run: ScopeRun, name: string, state: State, enteredMs: number): Promise<Step> {
  const scope = enterState(run, name, enteredMs, 0);
  switch (state.Type) {
    case 'Pass':
      return leave(state, scope, scope.states.input);
    case 'Wait':
      await wait(run, state, scope);
      return leave(state, scope, scope.states.input);
    case 'Succeed':
      return leave(state, scope, scope.states.input);
    case 'Choice': {
      const { rule, field, next } = await chooseNext(state, scope);
      return leave({ ...rule, Next: next }, scope, scope.states.input, field);
    }
    case 'Fail':
      return failNow(state, scope);
    default:
      return withRecovery(run, name, state, enteredMs);
  }
}

type RecoverableState = TaskState | ParallelState | MapState;

async function withRecovery(run: ScopeRun, name: string, state: RecoverableState, enteredMs: number): Promise<Step> {
  const attemptsByRetrier = new Map<number, number>();
  for (let retryCount = 0; ; retryCount += 1) {
    const scope = enterState(run, name, enteredMs, retryCount);
    try {
      const result = await runOnce(run, state, scope);
      checkPayload(result, `The state/task '${name}' returned a result`);
      return await leave(state, withStates(scope, { result }), result);
    } catch (failure) {
      if (!(failure instanceof StateFailure)) throw failure;
      // After these the service starts a new Map Run on a redrive, instead of going on with the children.
      if (isTerminal(failure)) delete run.checkpoint.container;
      const caught = await recover(run, state, scope, failure, attemptsByRetrier);
      if (caught !== undefined) return caught;
      // Anew: a Map that is retried starts a new Map Run over everything.
      delete run.checkpoint.container;
    }
  }
}

async function runOnce(run: ScopeRun, state: RecoverableState, scope: Scope): Promise<JsonValue> {
  if (state.Type === 'Task') return runTask(run, state, scope);
  if (state.Type === 'Parallel') return runParallel(run, state, scope, runScope);
  return state.mode === 'INLINE' ? runInlineMap(run, state, scope, runScope) : runMapRun(run, state, scope, runScope);
}

interface Exit {
  readonly Next?: string | undefined;
  readonly Output?: JsonValue | undefined;
  readonly Assign?: JsonObject | undefined;
}

async function leave(state: Exit, scope: Scope, result: JsonValue, field = ''): Promise<Step> {
  const output = state.Output === undefined ? result : await evaluate(state.Output, scope, `${field}Output`);
  const assigned = (
    state.Assign === undefined ? {} : await evaluate(state.Assign, scope, `${field}Assign`)
  ) as JsonObject;
  return { next: state.Next, output, assigned, variables: { ...scope.variables, ...assigned } };
}
