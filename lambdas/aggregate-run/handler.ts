import middy from '@middy/core';
import { AggregateInputSchema, type AggregateReport } from '../../src/core/schemas/workflow.ts';
import { type AggregateDeployedRunPorts, aggregateDeployedRun } from '../../src/use-cases/aggregate-deployed-run.ts';
import { log } from '../shared/log.ts';

export interface AggregateRunPorts extends AggregateDeployedRunPorts {
  onDecided(report: AggregateReport): void;
}

/** Result parts in; summary, report and gate out. */
export const createHandler = (ports: AggregateRunPorts) =>
  middy().handler(async (event: unknown) => {
    const report = await aggregateDeployedRun(AggregateInputSchema.parse(event), ports);
    ports.onDecided(report);
    log.info('run decided', { ...report });
    return report;
  });
