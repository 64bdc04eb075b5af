import type { ExecutionStatus, Workflow } from '../../ports/workflow.ts';

/** Executions that go only where a test sends them (`finish`). */
export class MemoryWorkflow implements Workflow {
  readonly executions = new Map<string, { input: { run_id: string; project: string }; status: ExecutionStatus }>();

  async start(runId: string, input: { run_id: string; project: string }): Promise<{ execution: string }> {
    if (!this.executions.has(runId)) this.executions.set(runId, { input: { ...input }, status: 'running' });
    return { execution: runId };
  }

  async stop(execution: string): Promise<void> {
    if ((await this.status(execution)) === 'running') this.finish(execution, 'aborted');
  }

  async status(execution: string): Promise<ExecutionStatus> {
    return this.executions.get(execution)?.status ?? 'unknown';
  }

  finish(execution: string, status: ExecutionStatus): void {
    const found = this.executions.get(execution);
    if (found !== undefined) found.status = status;
  }
}
