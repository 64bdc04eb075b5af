import middy from '@middy/core';
import { RunInputSchema } from '../../src/core/schemas/workflow.ts';
import { type PrepareDeployedRunPorts, prepareDeployedRun } from '../../src/use-cases/prepare/prepare-deployed-run.ts';
import { log } from '../shared/log.ts';

/** Run in, its rows prepared or the run refused. Failures of infrastructure propagate: the state machine retries. */
export const createHandler = (ports: PrepareDeployedRunPorts) =>
  middy().handler(async (event: unknown) => {
    const input = RunInputSchema.parse(event);
    const prepared = await prepareDeployedRun(input, ports);
    log.info('run prepared', { run_id: input.run_id, proceed: prepared.proceed, rows: prepared.rows });
    return prepared;
  });
