import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventBridgeHandle } from '../../../src/adapters/aws/clients.ts';
import { EventBridgeRunEvents } from '../../../src/adapters/aws/event-bridge-run-events.ts';
import { RunEventError } from '../../../src/core/errors.ts';
import { runFinishedEvent } from '../../../src/core/run-finished/run-finished.ts';
import { runEventsContract } from '../../contracts/run-events.ts';
import { aRun } from '../../contracts/samples.ts';
import { JsonService } from './json-service.ts';
import { local, ManualClock } from './local-cloud.ts';

interface Entry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
  readonly EventBusName: string;
  readonly Time: number;
}

const service = new JsonService();
let endpoint: string;
let clock: ManualClock;
const untold: unknown[] = [];
beforeAll(async () => {
  endpoint = await service.start();
});
afterAll(() => service.stop());
beforeEach(() => {
  service.calls.length = 0;
  untold.length = 0;
  clock = new ManualClock();
  service.answer = () => ({ body: { FailedEntryCount: 0, Entries: [{ EventId: 'e-1' }] } });
});

const open = () =>
  new EventBridgeRunEvents({
    stage: 'prod',
    busName: 'assay-prod',
    eventBridge: eventBridgeHandle({ ...local(endpoint) }),
    clock,
    random: () => 0.5,
    onNotTold: (runId, error) => untold.push([runId, error]),
  });
const entries = () => service.calls.flatMap(({ input }) => input.Entries as Entry[]);
const event = runFinishedEvent(aRun({ status: 'failed', finished_at: '2026-11-30T10:05:00.000Z' }), 'prod');
const refused = (ErrorCode: string) => ({
  body: { FailedEntryCount: 1, Entries: [{ ErrorCode, ErrorMessage: 'not now' }] },
});

runEventsContract('EventBridgeRunEvents', async () => ({
  events: open(),
  taken: async () =>
    entries().map(({ Source, DetailType, Detail }) => ({
      source: Source,
      type: DetailType,
      detail: JSON.parse(Detail),
    })),
}));

describe('putting an event on a bus', () => {
  it('names the bus, and the time at which the run was over', async () => {
    await open().runFinished(event);
    expect(service.calls.map(({ operation }) => operation)).toEqual(['PutEvents']);
    expect(entries()).toMatchObject([{ EventBusName: 'assay-prod', Time: Date.parse('2026-11-30T10:05:00Z') / 1000 }]);
  });

  it.each(['ThrottlingException', 'InternalFailure', 'InternalException'])(
    'tries an entry again that was refused with %s, although the call itself succeeded',
    async (code) => {
      service.answer = () =>
        service.calls.length < 3 ? refused(code) : { body: { FailedEntryCount: 0, Entries: [{}] } };
      await open().runFinished(event);
      expect(service.calls).toHaveLength(3);
      expect(clock.waits).toEqual([150, 300]); // three quarters of 200 and 400
    },
  );

  it('gives up after four attempts and says what the bus said', async () => {
    service.answer = () => refused('ThrottlingException');
    const told = open().runFinished(event);
    await expect(told).rejects.toThrow(RunEventError);
    await expect(told).rejects.toThrow(/ThrottlingException: not now \(attempt 4\)/);
    expect(service.calls).toHaveLength(4);
  });

  it.each(['AccessDeniedException', 'MalformedDetail', 'NotAuthorizedForSourceException'])(
    'does not repeat an entry that was refused for good: %s',
    async (code) => {
      service.answer = () => refused(code);
      await expect(open().runFinished(event)).rejects.toThrow(code);
      expect(service.calls).toHaveLength(1);
    },
  );

  it('takes an answer that accepts nothing for a refusal', async () => {
    service.answer = () => ({ body: { FailedEntryCount: 1, Entries: [] } });
    await expect(open().runFinished(event)).rejects.toThrow('the entry was not taken');
  });

  it.each([
    { what: 'a bus that is gone', error: 'ResourceNotFoundException', status: 400, calls: 1 },
    { what: 'a service that fails for good', error: 'InternalException', status: 500, calls: 3 },
  ])('tells of $what by name', async ({ error, status, calls }) => {
    service.answer = () => ({ error, status });
    const told = open().runFinished(event);
    await expect(told).rejects.toThrow(RunEventError);
    await expect(told).rejects.toThrow(new RegExp(`assay-prod: ${error}`));
    expect(service.calls).toHaveLength(calls);
  });

  it('refuses an event that is too large for an entry, and sends nothing', async () => {
    await expect(open().runFinished({ ...event, message: 'x'.repeat(300_000) })).rejects.toThrow(/has \d+ bytes/);
    expect(service.calls).toEqual([]);
  });

  it('hands on what could not be told', () => {
    open().notTold('r-1', 'why');
    expect(untold).toEqual([['r-1', 'why']]);
  });
});
