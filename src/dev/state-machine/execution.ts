import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionCheckpoint } from './checkpoint.ts';
import { Interrupted, StateFailure } from './failure.ts';
import { stepFunctions } from './functions.ts';
import type { StateMachine } from './load.ts';
import { checkPayload } from './payload.ts';
import { told } from './recovery.ts';
import { runScope } from './run-scope.ts';
import type { ExecutionEvent, ExecutionEventType, Runtime } from './runtime.ts';
import type { Services } from './services.ts';

export interface ExecutionOptions {
  readonly services: Services;
  readonly clock: Clock;
  /** At least 0, below 1. @default Math.random */
  readonly random?: () => number;
  /** Stops the execution when aborted. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ExecutionEvent) => void;
  /**
   * Waits and retry delays take this many times less than they say; timeouts keep their length, since real work does.
   * @default 1
   */
  readonly waitSpeed?: number;
}

export interface StartOptions extends ExecutionOptions {
  readonly input: JsonValue;
  /** Unique among the machine's executions; keeping it so is the caller's part. */
  readonly name: string;
}

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export interface ExecutionResult {
  readonly status: Exclude<ExecutionStatus, 'RUNNING'>;
  readonly output?: JsonValue;
  readonly error?: string;
  readonly cause?: string;
}

/** Starts an execution. It runs until `done` resolves, whatever happens to the caller. */
export function startExecution(machine: StateMachine, options: StartOptions): Execution {
  // A copy, so that nothing the caller does later reaches the execution.
  const input = JSON.parse(JSON.stringify(options.input)) as JsonValue;
  const startTime = new Date(options.clock.now()).toISOString();
  const scope = { state: machine.workflow.startAt, input, variables: {} };
  const checkpoint: ExecutionCheckpoint = { name: options.name, input, startTime, redriveCount: 0, scope };
  return new Execution(machine, checkpoint, options, 'ExecutionStarted');
}

/**
 * Goes on with an execution from its checkpoint, also one that an earlier process left: what succeeded stays, what
 * failed or was under way runs again with the same input.
 */
export function resumeExecution(
  machine: StateMachine,
  checkpoint: ExecutionCheckpoint,
  options: ExecutionOptions,
): Execution {
  const copy = JSON.parse(JSON.stringify(checkpoint)) as ExecutionCheckpoint;
  copy.redriveCount += 1;
  return new Execution(machine, copy, options, 'ExecutionRedriven');
}

export class NotRedrivableError extends Error {
  override readonly name = 'NotRedrivableError';
}

/** One execution, over all its attempts. */
export class Execution {
  readonly name: string;
  readonly arn: string;
  private readonly machine: StateMachine;
  private readonly state: ExecutionCheckpoint;
  private readonly options: ExecutionOptions;
  private attempt: { readonly done: Promise<ExecutionResult>; readonly stop: (ending: Ending) => void };
  private current: ExecutionStatus = 'RUNNING';

  constructor(
    machine: StateMachine,
    checkpoint: ExecutionCheckpoint,
    options: ExecutionOptions,
    begin: ExecutionEventType,
  ) {
    this.machine = machine;
    this.state = checkpoint;
    this.options = options;
    this.name = checkpoint.name;
    this.arn = `${machine.arn.replace(':stateMachine:', ':execution:')}:${checkpoint.name}`;
    this.attempt = this.begin(begin);
  }

  get status(): ExecutionStatus {
    return this.current;
  }

  /** End of the current attempt. Rejects only for a fault of the interpreter itself. */
  get done(): Promise<ExecutionResult> {
    return this.attempt.done;
  }

  /** Ends the execution as ABORTED; tasks under way are told by their signal and not awaited. */
  stop(error?: string, cause?: string): Promise<ExecutionResult> {
    this.attempt.stop({
      status: 'ABORTED',
      ...(error === undefined ? {} : { error }),
      ...(cause === undefined ? {} : { cause }),
    });
    return this.done;
  }

  /** Goes on from where a failed, timed out or aborted execution ended. Throws NotRedrivableError. */
  redrive(): Promise<ExecutionResult> {
    if (this.current === 'RUNNING' || this.current === 'SUCCEEDED') {
      throw new NotRedrivableError(
        `execution ${this.name} is ${this.current}: only one that did not succeed can be redriven`,
      );
    }
    this.state.redriveCount += 1;
    this.attempt = this.begin('ExecutionRedriven');
    return this.done;
  }

  /** All that resumeExecution needs, as JSON. Taken while the execution runs, children under way count as unfinished. */
  checkpoint(): ExecutionCheckpoint {
    return JSON.parse(JSON.stringify(this.state)) as ExecutionCheckpoint;
  }

  private begin(event: ExecutionEventType): Execution['attempt'] {
    this.current = 'RUNNING';
    const { options } = this;
    const outer = options.signal ?? new AbortController().signal;
    const life = new AbortController();
    let ending: Ending | undefined;
    const stop = (how: Ending) => {
      if (this.current !== 'RUNNING') return;
      ending ??= how;
      life.abort(new Interrupted(how.status));
    };
    const abort = () => stop({ status: 'ABORTED' });
    if (outer.aborted) abort();
    else outer.addEventListener('abort', abort, { once: true });
    const alarm = new AbortController();
    if (this.machine.timeoutSeconds !== undefined) {
      options.clock.sleep(this.machine.timeoutSeconds * 1000, alarm.signal).then(
        () => stop({ status: 'TIMED_OUT', error: 'States.Timeout' }),
        () => {},
      );
    }
    const done = this.run(life.signal, event, () => ending).finally(() => {
      alarm.abort();
      outer.removeEventListener('abort', abort);
    });
    // Whoever never looks at `done` must not lose the process to a fault of the interpreter.
    done.catch(() => {});
    return { done, stop };
  }

  private async run(
    signal: AbortSignal,
    begin: ExecutionEventType,
    ending: () => Ending | undefined,
  ): Promise<ExecutionResult> {
    const runtime = this.runtime();
    runtime.emit({ type: begin, execution: this.name });
    const result = await this.attemptOnce(runtime, signal, ending);
    this.current = result.status;
    const { error, cause } = result;
    runtime.emit({ type: END_EVENTS[result.status], execution: this.name, ...told(new StateFailure(error, cause)) });
    return result;
  }

  private async attemptOnce(
    runtime: Runtime,
    signal: AbortSignal,
    ending: () => Ending | undefined,
  ): Promise<ExecutionResult> {
    try {
      checkPayload(this.state.input, `The execution '${this.name}' was given an input`);
      const { scope: checkpoint } = this.state;
      const { workflow } = this.machine;
      const output = await runScope({
        runtime,
        workflow,
        name: this.name,
        context: this.context(),
        signal,
        checkpoint,
      });
      return { status: 'SUCCEEDED', output };
    } catch (error) {
      if (error instanceof StateFailure) return { status: 'FAILED', ...told(error) };
      const how = ending();
      if (error instanceof Interrupted || (signal.aborted && error === signal.reason))
        return how ?? { status: 'ABORTED' };
      throw error;
    }
  }

  private runtime(): Runtime {
    const { services, clock, random = Math.random, waitSpeed = 1, onEvent } = this.options;
    return {
      machine: this.machine,
      services,
      clock,
      random,
      waitSpeed,
      functions: stepFunctions({ now: () => clock.now(), random }),
      emit: (event) => onEvent?.({ ...event, atMs: clock.now() }),
    };
  }

  private context(): { Execution: JsonObject; StateMachine: JsonObject } {
    const { redriveCount, startTime, input } = this.state;
    const { arn } = this.machine;
    return {
      Execution: {
        Id: this.arn,
        Input: input,
        Name: this.name,
        RoleArn: 'arn:aws:iam::000000000000:role/local',
        StartTime: startTime,
        RedriveCount: redriveCount,
        ...(redriveCount === 0 ? {} : { RedriveTime: new Date(this.options.clock.now()).toISOString() }),
      },
      StateMachine: { Id: arn, Name: arn.split(':').pop() ?? '' },
    };
  }
}

interface Ending {
  readonly status: 'ABORTED' | 'TIMED_OUT';
  readonly error?: string;
  readonly cause?: string;
}

const END_EVENTS = {
  SUCCEEDED: 'ExecutionSucceeded',
  FAILED: 'ExecutionFailed',
  TIMED_OUT: 'ExecutionTimedOut',
  ABORTED: 'ExecutionAborted',
} as const satisfies Record<ExecutionResult['status'], ExecutionEventType>;
