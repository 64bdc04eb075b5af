import middy from '@middy/core';
import * as z from 'zod';
import { type FailRunPorts, failRun } from '../../src/use-cases/end/fail-run.ts';
import { log } from '../shared/log.ts';

/** EventBridge: «Step Functions Execution Status Change». The execution is named after its run. */
const StatusChangeSchema = z.object({
  detail: z.object({
    executionArn: z.string(),
    name: z.string(),
    status: z.string(),
    error: z.string().nullish(),
    cause: z.string().nullish(),
  }),
});

/** Longer causes hold stack traces; the execution keeps them. */
const CAUSE_LENGTH = 1_000;

/** An execution that ended badly in; its run's gate `error` out. */
export const createHandler = (ports: FailRunPorts & { onFailed(): void }) =>
  middy().handler(async (event: unknown) => {
    const { detail } = StatusChangeSchema.parse(event);
    const cause = [detail.error, detail.cause]
      .filter((text) => text != null && text !== '')
      .join(': ')
      .slice(0, CAUSE_LENGTH);
    const { closed } = await failRun({ runId: detail.name, status: detail.status, cause }, ports);
    if (closed) ports.onFailed();
    log.warn('execution ended badly', { run_id: detail.name, status: detail.status, closed });
    return { run_id: detail.name, closed };
  });
