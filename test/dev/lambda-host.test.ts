import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/core/errors.ts';
import { type LambdaHandler, LambdaHost, MAX_SYNC_BYTES } from '../../src/dev/lambda-host.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { InstantClock, ManualClock } from './state-machine/harness.ts';

function host(handler: LambdaHandler, clock: Clock = new ManualClock(), timeoutMs = 3_000) {
  return new LambdaHost({ f: { handler, timeoutMs } }, clock);
}

describe('LambdaHost', () => {
  it('passes events and results as JSON: what is not JSON does not arrive', async () => {
    let seen: unknown;
    const reply = await host(async (event) => {
      seen = event;
      return { kept: 1, dropped: undefined, when: new Date(0) };
    }).invoke('f', '{"a":1}');
    expect(seen).toEqual({ a: 1 });
    expect(reply).toEqual({ failed: false, payload: '{"kept":1,"when":"1970-01-01T00:00:00.000Z"}' });
  });

  it('answers null for a handler that returns nothing', async () => {
    expect(await host(async () => undefined).invoke('f', '{}')).toEqual({ failed: false, payload: 'null' });
  });

  it('tells a failure by its name, which Retry and Catch match', async () => {
    const reply = await host(async () => {
      throw new ConfigError([{ message: 'no' }]);
    }).invoke('f', '{}');
    expect(reply.failed).toBe(true);
    expect(JSON.parse(reply.payload)).toEqual({ errorType: 'ConfigError', errorMessage: 'no', trace: [] });
  });

  it('ends a handler whose time is up, and tells it before how much is left', async () => {
    const clock = new ManualClock();
    const left: number[] = [];
    const reply = host(async (_, context) => {
      left.push(context.getRemainingTimeInMillis());
      clock.advance(2_000);
      left.push(context.getRemainingTimeInMillis());
      clock.advance(2_000);
      left.push(context.getRemainingTimeInMillis());
      return new Promise(() => {});
    }, clock).invoke('f', '{}');
    // The alarm is set after the handler began, so that it needs the time once more.
    clock.advance(3_000);
    expect(JSON.parse((await reply).payload)).toMatchObject({ errorType: 'Sandbox.Timedout' });
    expect(left).toEqual([3_000, 1_000, 0]);
  });

  it.each([
    {
      what: 'a request',
      payload: JSON.stringify('x'.repeat(MAX_SYNC_BYTES)),
      result: null,
      type: 'RequestTooLargeException',
    },
    { what: 'an answer', payload: '{}', result: 'x'.repeat(MAX_SYNC_BYTES), type: 'Function.ResponseSizeTooLarge' },
  ])('refuses $what above 6 MB', async ({ payload, result, type }) => {
    const reply = await host(async () => result).invoke('f', payload);
    expect(JSON.parse(reply.payload)).toMatchObject({ errorType: type });
  });

  it('delivers an event three times at most', async () => {
    let calls = 0;
    const failing = host(
      async () => {
        calls += 1;
        throw new Error('no');
      },
      new InstantClock(9_000),
      10_000,
    );
    expect(await failing.deliver('f', {})).toBe(false);
    expect(calls).toBe(3);
  });

  it('says when there is no such function', async () => {
    await expect(host(async () => null).invoke('g', '{}')).rejects.toThrow('there is no function "g"');
  });
});
