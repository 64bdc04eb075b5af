import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ScopeCheckpoint } from './checkpoint.ts';
import type { Workflow } from './definition.ts';
import type { Scope } from './expression.ts';
import type { StateMachine } from './load.ts';
import type { Services } from './services.ts';

export type ExecutionEventType =
  | 'ExecutionStarted'
  | 'ExecutionRedriven'
  | 'ExecutionSucceeded'
  | 'ExecutionFailed'
  | 'ExecutionTimedOut'
  | 'ExecutionAborted'
  | 'StateEntered'
  | 'StateExited'
  | 'StateRetried'
  | 'StateCaught'
  | 'MapRunStarted'
  | 'MapRunRedriven'
  | 'MapRunSucceeded'
  | 'MapRunFailed'
  | 'MapRunAborted'
  | 'ChildStarted'
  | 'ChildSucceeded'
  | 'ChildFailed'
  | 'ChildAborted';

/** Something that happened, for progress and logs. */
export interface ExecutionEvent {
  readonly type: ExecutionEventType;
  /** Milliseconds since 1970, by the execution's clock. */
  readonly atMs: number;
  /** Name of the execution, or of the child of a distributed Map. */
  readonly execution: string;
  readonly state?: string;
  readonly error?: string;
  readonly cause?: string;
  readonly mapRunArn?: string;
  /** Items of a child. */
  readonly itemCount?: number;
  /** Seconds until the retry. */
  readonly delaySeconds?: number;
}

/** What all scopes of one execution share. */
export interface Runtime {
  readonly machine: StateMachine;
  readonly services: Services;
  readonly clock: Clock;
  readonly random: () => number;
  /** Waits and retry delays take this many times less than they say; timeouts do not. */
  readonly waitSpeed: number;
  readonly functions: Record<string, unknown>;
  emit(event: Omit<ExecutionEvent, 'atMs'>): void;
}

/** One line of states under way. */
export interface ScopeRun {
  readonly runtime: Runtime;
  readonly workflow: Workflow;
  readonly name: string;
  /** `$states.context.Execution`, `.StateMachine` and `.Map`. */
  readonly context: { readonly Execution: JsonObject; readonly StateMachine: JsonObject; readonly Map?: JsonObject };
  readonly signal: AbortSignal;
  readonly checkpoint: ScopeCheckpoint;
}

/** What the expressions of a state see when it is entered; results and errors are added as they come. */
export function enterState(run: ScopeRun, state: string, enteredMs: number, retryCount: number): Scope {
  const State = { EnteredTime: new Date(enteredMs).toISOString(), Name: state, RetryCount: retryCount };
  return {
    state,
    expressions: run.runtime.machine.expressions,
    states: { input: run.checkpoint.input, context: { ...run.context, State } as JsonObject },
    variables: run.checkpoint.variables,
    functions: run.runtime.functions,
  };
}

export function withStates(scope: Scope, more: { result?: JsonValue; errorOutput?: JsonObject }): Scope {
  return { ...scope, states: { ...scope.states, ...more } };
}

/** The work's outcome, or the signal's reason as soon as it aborts. The work itself is left to end by itself. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** A signal that aborts with its parent or by itself. Call `release` when done, or the parent keeps it. */
export function childSignal(parent: AbortSignal): { signal: AbortSignal; abort(reason: Error): void; release(): void } {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => parent.removeEventListener('abort', follow),
  };
}

/** A pause a person would not want to sit out: a Wait or a retry delay. */
export async function pause(run: ScopeRun, ms: number): Promise<void> {
  const scaled = ms / run.runtime.waitSpeed;
  if (scaled > 0) await untilAborted(run.runtime.clock.sleep(scaled, run.signal), run.signal);
}
