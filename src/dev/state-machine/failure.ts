/** Step Functions keeps this much of a cause. */
const MAX_CAUSE_CHARS = 32_768;

/** A state that failed as a state machine sees it: an error name that Retry and Catch match, and a cause for people. */
export class StateFailure extends Error {
  override readonly name = 'StateFailure';
  /** Error name; absent for a Fail state that gives none. */
  readonly error: string | undefined;
  readonly causeText: string | undefined;

  constructor(error: string | undefined, causeText?: string) {
    super(`${error ?? 'failed'}: ${causeText ?? ''}`);
    this.error = error;
    this.causeText = causeText?.slice(0, MAX_CAUSE_CHARS);
  }

  /** What `$states.errorOutput` holds. */
  get output(): { Error?: string; Cause?: string } {
    return {
      ...(this.error === undefined ? {} : { Error: this.error }),
      ...(this.causeText === undefined ? {} : { Cause: this.causeText }),
    };
  }
}

/** The execution, or the Map or Parallel around this state, was told to end. Never caught by a state machine. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** `States.ALL` and `States.TaskFailed` do not reach these two; nothing reaches `States.Runtime`. */
const TERMINAL = new Set(['States.DataLimitExceeded', 'States.Runtime']);
const TIMEOUTS = new Set(['States.Timeout', 'States.HeartbeatTimeout']);

export function isTerminal(failure: StateFailure): boolean {
  return TERMINAL.has(failure.error ?? '');
}

/** Whether a Retry or Catch with these `ErrorEquals` takes the failure. */
export function matchesError(patterns: readonly string[], failure: StateFailure): boolean {
  const error = failure.error ?? '';
  if (error === 'States.Runtime') return false;
  return patterns.some((pattern) => {
    if (pattern === error) return true;
    if (pattern === 'States.Timeout') return TIMEOUTS.has(error);
    if (TERMINAL.has(error)) return false;
    return pattern === 'States.ALL' || (pattern === 'States.TaskFailed' && !TIMEOUTS.has(error));
  });
}

/** Names the state, in the words of the service (which adds the number of a history event that we do not keep). */
export function inState(state: string, problem: string): string {
  return `An error occurred while executing the state '${state}'. ${problem}`;
}
