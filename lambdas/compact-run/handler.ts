import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { CompactRequestSchema } from '../../src/core/schemas/compaction.ts';
import { type CompactRunPorts, compactRun } from '../../src/use-cases/aggregate/compact-run.ts';
import { log } from '../shared/log.ts';

/** A finished run in, its results as a few Parquet files out. Failures propagate: Lambda tries again, then the queue has it. */
export const createHandler = (ports: Omit<CompactRunPorts, 'remainingMs'>) =>
  middy().handler(async (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => {
    const request = CompactRequestSchema.parse(event);
    const report = await compactRun(request, { ...ports, remainingMs: () => context.getRemainingTimeInMillis() });
    log.info('compaction', { ...request, ...report });
    return report;
  });
