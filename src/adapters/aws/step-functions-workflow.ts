import { WorkflowError } from '../../core/errors.ts';
import { canonicalJson } from '../../core/json.ts';
import type { ExecutionStatus, Workflow } from '../../ports/workflow.ts';
import type { StepFunctionsHandle } from './clients.ts';
import { isNamed, isServiceFailure } from './service-errors.ts';

const LONGEST_CAUSE = 32_000;

const STATUSES: Record<string, ExecutionStatus> = {
  RUNNING: 'running',
  // A redrive was asked for and has not begun.
  PENDING_REDRIVE: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timed_out',
  ABORTED: 'aborted',
};

export interface StepFunctionsWorkflowOptions {
  readonly stateMachineArn: string;
  readonly stepFunctions: StepFunctionsHandle;
}

/** Executions of one state machine. An execution is known by its ARN; its name is the run's id. Throws WorkflowError. */
export class StepFunctionsWorkflow implements Workflow {
  private readonly options: StepFunctionsWorkflowOptions;

  constructor(options: StepFunctionsWorkflowOptions) {
    this.options = options;
  }

  async start(runId: string, input: { run_id: string; project: string }): Promise<{ execution: string }> {
    if (!/^[0-9A-Za-z_-]{1,80}$/.test(runId)) {
      throw new TypeError(`${JSON.stringify(runId)} cannot be the name of an execution`);
    }
    const { sdk, client } = await this.options.stepFunctions();
    const { stateMachineArn } = this.options;
    try {
      // The same bytes for the same run: a repeated start is then the same start, while the execution runs.
      const command = new sdk.StartExecutionCommand({ stateMachineArn, name: runId, input: canonicalJson(input) });
      const reply = await client.send(command);
      return { execution: reply.executionArn ?? this.arnOf(runId) };
    } catch (error) {
      // It has ended already, and its name stays taken.
      if (isNamed(error, 'ExecutionAlreadyExists')) return { execution: this.arnOf(runId) };
      throw failure('StartExecution', error);
    }
  }

  /** Does nothing when there is no such execution (any more). */
  async stop(execution: string, cause: string): Promise<void> {
    const { sdk, client } = await this.options.stepFunctions();
    const executionArn = this.arnOf(execution);
    try {
      await client.send(new sdk.StopExecutionCommand({ executionArn, cause: cause.slice(0, LONGEST_CAUSE) }));
    } catch (error) {
      if (!isNamed(error, 'ExecutionDoesNotExist')) throw failure('StopExecution', error);
    }
  }

  async status(execution: string): Promise<ExecutionStatus> {
    const { sdk, client } = await this.options.stepFunctions();
    try {
      const reply = await client.send(new sdk.DescribeExecutionCommand({ executionArn: this.arnOf(execution) }));
      return STATUSES[reply.status ?? ''] ?? 'unknown';
    } catch (error) {
      if (isNamed(error, 'ExecutionDoesNotExist')) return 'unknown';
      throw failure('DescribeExecution', error);
    }
  }

  private arnOf(execution: string): string {
    if (execution.startsWith('arn:')) return execution;
    return `${this.options.stateMachineArn.replace(':stateMachine:', ':execution:')}:${execution}`;
  }
}

function failure(operation: string, error: unknown): unknown {
  if (!(error instanceof Error) || !isServiceFailure(error)) return error;
  return new WorkflowError(`Step Functions ${operation}: ${error.name}: ${error.message}`, { cause: error });
}
