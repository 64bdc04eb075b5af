import middy from '@middy/core';
import { AggregateInputSchema } from '../../src/core/schemas/workflow.ts';
import {
  type AggregateDeployedRunPorts,
  aggregateDeployedRun,
} from '../../src/use-cases/aggregate/aggregate-deployed-run.ts';
import { log } from '../shared/log.ts';

export interface AggregateRunPorts extends AggregateDeployedRunPorts {
  onDecided(gate: 'pass' | 'fail' | 'error'): void;
}

/** Result parts in; summary, report and gate out. */
export const createHandler = (ports: AggregateRunPorts) =>
  middy().handler(async (event: unknown) => {
    const report = await aggregateDeployedRun(AggregateInputSchema.parse(event), ports);
    const { confirm, gate, ...run } = report;
    if (gate !== 'pending') ports.onDecided(gate);
    log.info(gate === 'pending' ? 'rows to confirm' : 'run decided', { ...run, gate, confirm: confirm.length });
    return report;
  });
