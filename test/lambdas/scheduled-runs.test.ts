import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHandler as createMendSchedules } from '../../lambdas/mend-schedules/handler.ts';
import { createHandler as createStartScheduled } from '../../lambdas/start-scheduled/handler.ts';
import { schedulerHandle } from '../../src/adapters/aws/clients.ts';
import { EventBridgeSchedules } from '../../src/adapters/aws/eventbridge-schedules.ts';
import { MemoryRunSlots } from '../../src/adapters/memory/memory-run-slots.ts';
import { SchedulerService } from '../adapters/aws/scheduler-service.ts';
import { evalNamed, TestApi } from './api/api.ts';

const CONTEXT = {} as Context;
const env = {
  STAGE: 'prod',
  LOG_LEVEL: 'INFO',
  TABLE_NAME: 'table',
  BUCKET_NAME: 'bucket',
  SECRETS_PREFIX: 'assay',
  EVENT_BUS_NAME: 'default',
  MAX_QUEUED_RUNS: '100',
  STATE_MACHINE_ARN: 'arn:aws:states:eu-west-1:123456789012:stateMachine:runs',
  SCHEDULE_GROUP: 'assay-prod',
  SCHEDULE_TARGET_ARN: 'arn:aws:lambda:eu-west-1:123456789012:function:start-scheduled',
  SCHEDULE_ROLE_ARN: 'arn:aws:iam::123456789012:role/caller',
  SCHEDULE_DEAD_LETTER_ARN: 'arn:aws:sqs:eu-west-1:123456789012:failures',
};

describe('from the API through EventBridge Scheduler to a run', () => {
  const service = new SchedulerService();
  let schedules: EventBridgeSchedules;
  beforeEach(async () => {
    schedules = new EventBridgeSchedules({
      scheduler: schedulerHandle({
        region: 'eu-west-1',
        endpoint: await service.listen(),
        credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' },
        maxAttempts: 1,
      }),
      groupName: env.SCHEDULE_GROUP,
      targetArn: env.SCHEDULE_TARGET_ARN,
      roleArn: env.SCHEDULE_ROLE_ARN,
      deadLetterArn: env.SCHEDULE_DEAD_LETTER_ARN,
    });
    return () => service.close();
  });

  it('what the service sends is what the function takes', async () => {
    const info = vi.spyOn(console, 'info').mockReturnValue();
    const api = new TestApi({ schedules });
    await api.seed([]);
    const schedule = { cron: '0 11 * * *', timezone: 'Europe/Berlin' };
    await api.manage('PUT', '/api/evals/shop.faq', evalNamed('faq', { schedule }));
    const [stored] = [...service.schedules.values()];
    // As the service does it: the time it was meant for, in the payload as it is stored.
    const input = (stored?.Target.Input ?? '').replaceAll('<aws.scheduler.scheduled-time>', '2026-11-30T10:00:00Z');

    const start = createStartScheduled({
      registry: api.registry,
      workflow: api.workflow,
      slots: new MemoryRunSlots(),
      runLimits: { maxConcurrentRuns: null, maxQueuedRuns: 100 },
      clock: api.clock,
      randomBytes: (count) => new Uint8Array(count),
    });
    const answer = await start(JSON.parse(input), CONTEXT);
    expect(answer).toMatchObject({ status: 'started', run_ids: [expect.stringMatching(/^r-/)] });
    expect(await start(JSON.parse(input), CONTEXT)).toEqual(answer);
    expect([...api.workflow.executions.keys()]).toHaveLength(1);
    expect(info).toHaveBeenCalledTimes(2);

    await api.manage('DELETE', '/api/evals/shop.faq');
    expect(service.schedules.size).toBe(0);
    expect(await start(JSON.parse(input), CONTEXT)).toMatchObject({ status: 'skipped' });
  });

  it('schedules that are gone, as after a deploy of the stage anew, come back', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const api = new TestApi({ schedules });
    await api.seed([]);
    for (const name of ['faq', 'tone']) {
      await api.manage('PUT', `/api/evals/shop.${name}`, evalNamed(name, { schedule: '0 2 * * *' }));
    }
    const before = structuredClone([...service.schedules]);
    service.schedules.clear();
    const mend = createMendSchedules({ registry: api.registry, schedules });
    expect(await mend({}, CONTEXT)).toEqual({ scheduled: 2, mended: ['shop.faq', 'shop.tone'] });
    expect([...service.schedules]).toEqual(before);
    expect(await mend({}, CONTEXT)).toEqual({ scheduled: 2, mended: [] });
  });
});

describe('functions as Lambda loads them', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    null,
    {},
    { project: 'shop', eval: 'faq' },
    { project: '../x', eval: 'faq', cron: '0 2 * * *', timezone: 'UTC', scheduled_at: '2026-12-01T02:00:00Z' },
  ])('start-scheduled refuses %j before it asks anything', async (event) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const { handler } = await import('../../lambdas/start-scheduled/index.ts');
    await expect(handler(event, CONTEXT)).rejects.toThrow(/invalid|expected/i);
  });

  it('mend-schedules fails at its start, by name, when the environment lacks a variable', async () => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, name === 'SCHEDULE_ROLE_ARN' ? undefined : value);
    await expect(import('../../lambdas/mend-schedules/index.ts')).rejects.toThrow('SCHEDULE_ROLE_ARN');
  });
});
