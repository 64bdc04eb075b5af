import type { RunFinished } from '../../core/schemas/run-finished.ts';
import type { RunEvents } from '../../ports/run-events.ts';

/** Events in this process, for tests of use cases. */
export class MemoryRunEvents implements RunEvents {
  readonly stage = 'test';
  readonly told: RunFinished[] = [];
  readonly failures: { readonly runId: string; readonly error: unknown }[] = [];

  async runFinished(event: RunFinished): Promise<void> {
    this.told.push(structuredClone(event));
  }

  notTold(runId: string, error: unknown): void {
    this.failures.push({ runId, error });
  }
}
