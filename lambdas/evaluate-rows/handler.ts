import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { RowBatchSchema } from '../../src/core/schemas/workflow.ts';
import { type EvaluateBatchPorts, evaluateBatch } from '../../src/use-cases/rows/evaluate-batch.ts';
import { log } from '../shared/log.ts';

/** A batch of rows in, one part of results out, counts returned. Row failures are results; the rest propagates. */
export const createHandler = (ports: Omit<EvaluateBatchPorts, 'remainingMs'>) =>
  middy().handler(async (event: unknown, context: Context) => {
    const batch = RowBatchSchema.parse(event);
    const report = await evaluateBatch(batch, { ...ports, remainingMs: () => context.getRemainingTimeInMillis() });
    const { run_id, first_index, done, stop, remaining } = report;
    log.info('batch evaluated', { run_id, first_index, done, stop, remaining: remaining.length });
    return report;
  });
