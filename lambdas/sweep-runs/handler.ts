import middy from '@middy/core';
import type { Workflow } from '../../src/ports/workflow.ts';
import type { DeployedPorts } from '../../src/use-cases/deployed.ts';
import { sweepRuns } from '../../src/use-cases/sweep-runs.ts';
import { log } from '../shared/log.ts';

export type SweepRunsPorts = Pick<DeployedPorts, 'registry' | 'clock'> & {
  readonly workflow: Workflow;
  onClosed(count: number): void;
};

/** Every five minutes: runs that are open without an execution get their gate. */
export const createHandler = (ports: SweepRunsPorts) =>
  middy().handler(async () => {
    const report = await sweepRuns(ports);
    ports.onClosed(report.closed.length);
    if (report.closed.length > 0) log.warn('runs closed by the sweep', { ...report });
    return report;
  });
