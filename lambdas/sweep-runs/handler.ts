import middy from '@middy/core';
import * as z from 'zod';
import { endExecution } from '../../src/use-cases/end/end-execution.ts';
import { type SweepPorts, sweepRuns } from '../../src/use-cases/end/sweep-runs.ts';
import { log } from '../shared/log.ts';

export type SweepRunsPorts = SweepPorts & { onClosed(count: number): void };

/** EventBridge: «Step Functions Execution Status Change». The execution is named after its run. */
const EndedSchema = z.object({ detail: z.object({ executionArn: z.string(), name: z.string(), status: z.string() }) });

/**
 * At the end of an execution: its slot goes to the run that waits first. Every five minutes, and for any other event:
 * what calls and events missed.
 */
export const createHandler = (ports: SweepRunsPorts) =>
  middy().handler(async (event: unknown) => {
    const ended = EndedSchema.safeParse(event);
    if (ended.success) {
      const { name: runId, status } = ended.data.detail;
      const { started } = await endExecution({ runId, status }, ports);
      if (started.length > 0) log.info('runs started that had waited', { started });
      return { started };
    }
    const { failures, ...report } = await sweepRuns(ports);
    ports.onClosed(report.closed.length);
    if (report.closed.length + report.started.length + report.announced.length > 0) {
      log.warn('the sweep found work', { ...report });
    }
    for (const failure of failures) log.error('the sweep could not do all', failure);
    // Lambda tries again, and keeps for people what fails for good.
    if (failures.length > 0) throw failures[0];
    return report;
  });
