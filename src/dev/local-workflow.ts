import type { Clock } from '../ports/clock.ts';
import type { ExecutionStatus as PortStatus, Workflow } from '../ports/workflow.ts';
import type { ExecutionFiles } from './execution-files.ts';
import type { ExecutionCheckpoint } from './state-machine/checkpoint.ts';
import {
  type Execution,
  type ExecutionOptions,
  type ExecutionResult,
  type ExecutionStatus,
  resumeExecution,
  startExecution,
} from './state-machine/execution.ts';
import type { StateMachine } from './state-machine/load.ts';
import type { ExecutionEvent } from './state-machine/runtime.ts';
import type { Services } from './state-machine/services.ts';

export interface LocalWorkflowOptions {
  readonly machine: StateMachine;
  readonly services: Services;
  readonly clock: Clock;
  readonly files: ExecutionFiles;
  /** Waits between retries take this many times less. @default 1 */
  readonly waitSpeed?: number;
  readonly onEvent?: (event: ExecutionEvent) => void;
  /** The status-change event: how an execution ended, each time it did. */
  onEnded(ended: EndedExecution): Promise<void>;
}

export interface EndedExecution extends ExecutionResult {
  readonly executionArn: string;
  readonly name: string;
  readonly stateMachineArn: string;
}

const STATUSES: Readonly<Record<ExecutionStatus, PortStatus>> = {
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timed_out',
  ABORTED: 'aborted',
};

/** One execution a run, by its name: alive in this process, or a status and where to go on. */
type Known =
  | { readonly kind: 'alive'; readonly execution: Execution }
  | { readonly kind: 'kept'; readonly status: ExecutionStatus; readonly checkpoint?: ExecutionCheckpoint };

/** Step Functions on this machine: the interpreter over the application's own definition. */
export class LocalWorkflow implements Workflow {
  private readonly options: LocalWorkflowOptions;
  private readonly known = new Map<string, Known>();
  /** Executions whose end is still to be told. */
  private readonly pending = new Map<string, Promise<void>>();
  private closing = false;

  constructor(options: LocalWorkflowOptions) {
    this.options = options;
  }

  async start(runId: string, input: { run_id: string; project: string }): Promise<{ execution: string }> {
    if (!this.known.has(runId)) {
      if (this.closing) throw new Error('assay dev is stopping');
      const { machine } = this.options;
      const execution = startExecution(machine, { ...this.executionOptions(), name: runId, input: { ...input } });
      this.known.set(runId, { kind: 'alive', execution });
      // Kept before anybody is told of it, so that a crash cannot lose it.
      await this.keep(runId, 'RUNNING', execution.checkpoint());
      this.follow(runId, execution);
    }
    return { execution: this.arnOf(runId) };
  }

  async stop(execution: string, cause: string): Promise<void> {
    const found = this.known.get(nameOf(execution));
    if (found?.kind === 'alive') await found.execution.stop('Cancelled', cause);
  }

  async status(execution: string): Promise<PortStatus> {
    const found = this.known.get(nameOf(execution));
    if (found === undefined) return 'unknown';
    return STATUSES[found.kind === 'alive' ? found.execution.status : found.status];
  }

  /** Goes on with an execution that failed, timed out or was aborted. */
  async redrive(runId: string): Promise<void> {
    await this.settled(runId);
    const found = this.known.get(nameOf(runId));
    if (found?.kind !== 'kept' || found.checkpoint === undefined) {
      throw new TypeError(`execution "${runId}" cannot be redriven`);
    }
    await this.resume(nameOf(runId), found.checkpoint);
  }

  /** Goes on with what an earlier process left under way. */
  async resumeAll(): Promise<number> {
    const stored = await this.options.files.readAll();
    for (const { name, status, checkpoint } of stored) {
      if (status === 'RUNNING' && checkpoint !== undefined) await this.resume(name, checkpoint);
      else this.known.set(name, { kind: 'kept', status, ...(checkpoint === undefined ? {} : { checkpoint }) });
    }
    return stored.filter(({ status }) => status === 'RUNNING').length;
  }

  /** Puts down what is under way, to be resumed by the next process. Nobody is told that it ended: it has not. */
  async close(): Promise<number> {
    this.closing = true;
    const alive = [...this.known].flatMap(([name, found]) =>
      found.kind === 'alive' && found.execution.status === 'RUNNING' ? [{ name, execution: found.execution }] : [],
    );
    await Promise.all(
      alive.map(async ({ name, execution }) => {
        await execution.stop('Stopped', 'assay dev was stopped');
        await this.keep(name, 'RUNNING', execution.checkpoint());
      }),
    );
    await Promise.all(this.pending.values());
    return alive.length;
  }

  /** The current attempt has ended and those who had to know were told. */
  async settled(runId: string): Promise<void> {
    await this.pending.get(nameOf(runId));
  }

  private async resume(name: string, checkpoint: ExecutionCheckpoint): Promise<void> {
    const execution = resumeExecution(this.options.machine, checkpoint, this.executionOptions());
    this.known.set(name, { kind: 'alive', execution });
    await this.keep(name, 'RUNNING', execution.checkpoint());
    this.follow(name, execution);
  }

  private executionOptions(): ExecutionOptions {
    const { services, clock, waitSpeed, onEvent } = this.options;
    return {
      services,
      clock,
      ...(waitSpeed === undefined ? {} : { waitSpeed }),
      ...(onEvent === undefined ? {} : { onEvent }),
    };
  }

  private follow(name: string, execution: Execution): void {
    const followed = this.untilEnd(name, execution).finally(() => this.pending.delete(name));
    this.pending.set(name, followed);
  }

  private async untilEnd(name: string, execution: Execution): Promise<void> {
    const result = await execution.done.catch(
      // A fault of the interpreter: the run must not stay open for it.
      (error: unknown): ExecutionResult => ({ status: 'FAILED', error: 'States.Runtime', cause: String(error) }),
    );
    if (this.closing && result.status === 'ABORTED') return;
    const checkpoint = result.status === 'SUCCEEDED' ? undefined : execution.checkpoint();
    this.known.set(name, { kind: 'kept', status: result.status, ...(checkpoint === undefined ? {} : { checkpoint }) });
    await this.keep(name, result.status, checkpoint);
    const { machine, onEnded } = this.options;
    await onEnded({ ...result, executionArn: this.arnOf(name), name, stateMachineArn: machine.arn });
  }

  private keep(name: string, status: ExecutionStatus, checkpoint: ExecutionCheckpoint | undefined): Promise<void> {
    return this.options.files.write({ name, status, ...(checkpoint === undefined ? {} : { checkpoint }) });
  }

  private arnOf(name: string): string {
    return `${this.options.machine.arn.replace(':stateMachine:', ':execution:')}:${name}`;
  }
}

/** Executions are told by ARN or by name. */
function nameOf(execution: string): string {
  return execution.split(':').at(-1) ?? execution;
}
