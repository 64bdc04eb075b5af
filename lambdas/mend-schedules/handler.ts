import middy from '@middy/core';
import type { Registry } from '../../src/ports/registry.ts';
import type { Schedules } from '../../src/ports/schedules.ts';
import { mendSchedules } from '../../src/use-cases/start/mend-schedules.ts';
import { log } from '../shared/log.ts';

/** Every hour: schedules that are not in step with their evals are brought there. */
export const createHandler = (ports: { readonly registry: Registry; readonly schedules: Schedules }) =>
  middy().handler(async () => {
    const report = await mendSchedules(ports);
    if (report.mended.length > 0) log.warn('schedules mended', { ...report });
    return report;
  });
