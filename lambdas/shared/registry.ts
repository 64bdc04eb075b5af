import { dynamoHandle, stepFunctionsHandle } from '../../src/adapters/aws/clients.ts';
import { DynamoRegistry } from '../../src/adapters/aws/dynamo-registry.ts';
import { DynamoRunSlots } from '../../src/adapters/aws/dynamo-run-slots.ts';
import { DynamoTable } from '../../src/adapters/aws/dynamo-table.ts';
import { StepFunctionsWorkflow } from '../../src/adapters/aws/step-functions-workflow.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import type { RunLimits } from '../../src/use-cases/start/run-queue.ts';

export interface RegistryEnv {
  readonly TABLE_NAME: string;
  /** Only functions that start executions know it; those that look one up have its ARN from the run. */
  readonly STATE_MACHINE_ARN?: string;
  readonly MAX_CONCURRENT_RUNS?: number | undefined;
  readonly MAX_QUEUED_RUNS: number;
}

/** Runs and their executions: all that a function needs which touches no file. Clients are built at their first call. */
export function createRegistry(env: RegistryEnv) {
  const clock = systemClock;
  const table = new DynamoTable({ tableName: env.TABLE_NAME, dynamo: dynamoHandle(), clock });
  const workflow = new StepFunctionsWorkflow({
    stateMachineArn: env.STATE_MACHINE_ARN ?? '',
    stepFunctions: stepFunctionsHandle(),
  });
  const runLimits: RunLimits = {
    maxConcurrentRuns: env.MAX_CONCURRENT_RUNS ?? null,
    maxQueuedRuns: env.MAX_QUEUED_RUNS,
  };
  const registry = new DynamoRegistry(table, clock);
  return { clock, table, workflow, registry, slots: new DynamoRunSlots(table), runLimits };
}
