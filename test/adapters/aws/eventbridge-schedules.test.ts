import { afterEach, describe, expect, it } from 'vitest';
import { schedulerHandle } from '../../../src/adapters/aws/clients.ts';
import { EventBridgeSchedules, scheduleName } from '../../../src/adapters/aws/eventbridge-schedules.ts';
import { ScheduleError } from '../../../src/core/errors.ts';
import { schedulesContract } from '../../contracts/schedules.ts';
import { SchedulerService } from './scheduler-service.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
const FUNCTION_ARN = 'arn:aws:lambda:eu-west-1:111122223333:function:start-scheduled';
const ROLE_ARN = 'arn:aws:iam::111122223333:role/caller';
const QUEUE_ARN = 'arn:aws:sqs:eu-west-1:111122223333:failures';
const nightly = { project: 'shop', eval: 'faq', cron: '0 2 * * MON-FRI', timezone: 'Europe/Berlin' };
const NAME = scheduleName('shop', 'faq');

const running: SchedulerService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

/** The real SDK against a stand-in for the service. */
async function start(groupName = 'assay-prod') {
  const service = new SchedulerService();
  running.push(service);
  const scheduler = schedulerHandle({
    region: 'eu-west-1',
    endpoint: await service.listen(),
    credentials,
    maxAttempts: 2,
  });
  const schedules = new EventBridgeSchedules({
    scheduler,
    groupName,
    targetArn: FUNCTION_ARN,
    roleArn: ROLE_ARN,
    deadLetterArn: QUEUE_ARN,
  });
  return { service, schedules };
}

schedulesContract('EventBridgeSchedules', async () => (await start()).schedules);

describe('a schedule in EventBridge Scheduler', () => {
  it('calls the function in the role, with the time written in by the service, and gives up after an hour', async () => {
    const { service, schedules } = await start();
    await schedules.put(nightly);
    const stored = service.schedules.get(`assay-prod/${NAME}`);
    expect(stored).toMatchObject({
      ScheduleExpression: 'cron(0 2 ? * MON,TUE,WED,THU,FRI *)',
      ScheduleExpressionTimezone: 'Europe/Berlin',
      FlexibleTimeWindow: { Mode: 'OFF' },
      State: 'ENABLED',
      Target: {
        Arn: FUNCTION_ARN,
        RoleArn: ROLE_ARN,
        RetryPolicy: { MaximumEventAgeInSeconds: 3_600 },
        DeadLetterConfig: { Arn: QUEUE_ARN },
      },
    });
    expect(JSON.parse(stored?.Target.Input ?? '')).toEqual({
      ...nightly,
      scheduled_at: '<aws.scheduler.scheduled-time>',
    });
  });

  it.each([
    ['shop', 'faq'],
    ['a', 'b'],
    ['x'.repeat(63), 'y'.repeat(63)],
  ])('has a name the service takes, whatever %s.%s is called', (project, name) => {
    expect(scheduleName(project, name)).toMatch(/^[0-9a-zA-Z-_.]{1,64}$/);
  });

  it('is changed by one call where it exists, made by a second where it does not', async () => {
    const { service, schedules } = await start();
    await schedules.put(nightly);
    await schedules.put(nightly);
    expect(service.calls.map(({ method }) => method)).toEqual(['PUT', 'POST', 'PUT']);
  });

  it.each([
    { name: 'switched off', change: { State: 'DISABLED' } },
    { name: 'moved to another time', change: { ScheduleExpression: 'cron(0 3 * * ? *)' } },
    { name: 'moved to another time zone', change: { ScheduleExpressionTimezone: 'UTC' } },
  ])('that was $name in the console is not intact', async ({ change }) => {
    const { service, schedules } = await start();
    await schedules.put(nightly);
    Object.assign(service.schedules.get(`assay-prod/${NAME}`) ?? {}, change);
    expect(await schedules.list()).toEqual([{ ...nightly, intact: false }]);
    await schedules.put(nightly);
    expect(await schedules.list()).toEqual([{ ...nightly, intact: true }]);
  });

  it('that calls a function of an earlier deploy is not intact', async () => {
    const { service, schedules } = await start();
    await schedules.put(nightly);
    const target = service.schedules.get(`assay-prod/${NAME}`)?.Target;
    if (target !== undefined) target.Arn = `${FUNCTION_ARN}-old`;
    expect(await schedules.list()).toMatchObject([{ intact: false }]);
  });

  it('that is none of ours is left alone', async () => {
    const { service, schedules } = await start();
    await schedules.put(nightly);
    const ours = service.schedules.get(`assay-prod/${NAME}`);
    if (ours === undefined) throw new Error('nothing was stored');
    const strange = ['', 'no json', '{}', '{"project":"shop"}', 'null', ours.Target.Input];
    for (const [index, Input] of strange.entries()) {
      const key = `assay-prod/foreign-${index}`;
      service.schedules.set(key, { ...ours, Name: `foreign-${index}`, Target: { ...ours.Target, Input } });
    }
    expect(await schedules.list()).toEqual([{ ...nightly, intact: true }]);
  });

  it('that is removed while the list is read is left out', async () => {
    const { service, schedules } = await start();
    await schedules.put(nightly);
    service.fault = ({ path }) =>
      path.startsWith(`/schedules/${NAME}`) ? { status: 404, type: 'ResourceNotFoundException' } : undefined;
    expect(await schedules.list()).toEqual([]);
  });
});

describe('what the service refuses', () => {
  it.each([
    { name: 'it denies the call', fault: { status: 403, type: 'AccessDeniedException' }, calls: 1 },
    { name: 'it fails, and again', fault: { status: 500, type: 'InternalServerException' }, calls: 2 },
    { name: 'it throttles, and again', fault: { status: 429, type: 'ThrottlingException' }, calls: 2 },
    { name: 'another writer is always first', fault: { status: 409, type: 'ConflictException' }, calls: 3 },
  ])('is a ScheduleError: $name', async ({ fault, calls }) => {
    const { service, schedules } = await start();
    service.fault = () => fault;
    await expect(schedules.put(nightly)).rejects.toThrow(ScheduleError);
    expect(service.calls).toHaveLength(calls);
    await expect(schedules.remove('shop', 'faq')).rejects.toThrow(fault.type);
    await expect(schedules.list()).rejects.toThrow(ScheduleError);
  });

  it('is a ScheduleError where the group does not exist', async () => {
    const { schedules } = await start('assay-gone');
    await expect(schedules.put(nightly)).rejects.toThrow(ScheduleError);
    await expect(schedules.list()).rejects.toThrow(ScheduleError);
  });

  it('is tried again where a second try may help', async () => {
    const { service, schedules } = await start();
    let failures = 1;
    service.fault = () => (failures-- > 0 ? { status: 500, type: 'InternalServerException' } : undefined);
    await schedules.put(nightly);
    expect(await schedules.list()).toHaveLength(1);
  });
});
