import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Catcher, Retrier } from './definition.ts';
import { evaluate, type Scope } from './expression.ts';
import { matchesError, type StateFailure } from './failure.ts';
import { pause, type ScopeRun, withStates } from './runtime.ts';

/** How a state was left. `next` is absent after the last one. */
export interface Step {
  readonly next: string | undefined;
  readonly output: JsonValue;
  readonly assigned: JsonObject;
  /** All variables, the assigned ones included. */
  readonly variables: JsonObject;
}

/**
 * What Retry and Catch make of a failure: undefined after the delay of a retry, the step to the catcher's state, or the
 * failure itself thrown on. Each retrier counts its own attempts.
 */
export async function recover(
  run: ScopeRun,
  rules: { readonly Retry?: readonly Retrier[] | undefined; readonly Catch?: readonly Catcher[] | undefined },
  scope: Scope,
  failure: StateFailure,
  attempts: Map<number, number>,
): Promise<Step | undefined> {
  const event = { execution: run.name, state: scope.state, ...told(failure) };
  const index = rules.Retry?.findIndex((retrier) => matchesError(retrier.ErrorEquals, failure)) ?? -1;
  const retrier = rules.Retry?.[index];
  const attempt = attempts.get(index) ?? 0;
  if (retrier !== undefined && attempt < (retrier.MaxAttempts ?? 3)) {
    attempts.set(index, attempt + 1);
    const delaySeconds = retryDelaySeconds(retrier, attempt, run.runtime.random);
    run.runtime.emit({ type: 'StateRetried', delaySeconds, ...event });
    await pause(run, delaySeconds * 1000);
    return undefined;
  }
  const position = rules.Catch?.findIndex((catcher) => matchesError(catcher.ErrorEquals, failure)) ?? -1;
  const catcher = rules.Catch?.[position];
  if (catcher === undefined) throw failure;
  run.runtime.emit({ type: 'StateCaught', ...event });
  return leaveByCatch(catcher, `Catch[${position}]`, withStates(scope, { errorOutput: failure.output }), failure);
}

/** Before the attempt after this one: capped first, then spread over the whole interval by full jitter. */
function retryDelaySeconds(retrier: Retrier, attempt: number, random: () => number): number {
  const growing = (retrier.IntervalSeconds ?? 1) * (retrier.BackoffRate ?? 2) ** attempt;
  const capped = Math.min(growing, retrier.MaxDelaySeconds ?? Number.POSITIVE_INFINITY);
  return retrier.JitterStrategy === 'FULL' ? capped * random() : capped;
}

export function told(failure: StateFailure): { error?: string; cause?: string } {
  return {
    ...(failure.error === undefined ? {} : { error: failure.error }),
    ...(failure.causeText === undefined ? {} : { cause: failure.causeText }),
  };
}

async function leaveByCatch(catcher: Catcher, field: string, scope: Scope, failure: StateFailure): Promise<Step> {
  const output =
    catcher.Output === undefined ? failure.output : await evaluate(catcher.Output, scope, `${field}/Output`);
  const assigned = (
    catcher.Assign === undefined ? {} : await evaluate(catcher.Assign, scope, `${field}/Assign`)
  ) as JsonObject;
  return { next: catcher.Next, output, assigned, variables: { ...scope.variables, ...assigned } };
}
