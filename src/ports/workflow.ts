export type ExecutionStatus = 'running' | 'succeeded' | 'failed' | 'timed_out' | 'aborted' | 'unknown';

/** Executions of the run workflow, one a run. */
export interface Workflow {
  /** Starts the execution named after the run; the same run again gives the same execution. */
  start(runId: string, input: { run_id: string; project: string }): Promise<{ execution: string }>;
  stop(execution: string, cause: string): Promise<void>;
  status(execution: string): Promise<ExecutionStatus>;
}
