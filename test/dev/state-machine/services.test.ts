import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/core/json.ts';
import { type LambdaReply, lambdaInvoke } from '../../../src/dev/state-machine/services.ts';

const call = { state: 'A', execution: 'run-1', signal: new AbortController().signal };
const answer = (reply: LambdaReply, args: JsonValue = { FunctionName: 'f' }) =>
  lambdaInvoke(async () => reply)(args, call);

describe('lambdaInvoke', () => {
  it('sends JSON text and gives the answer as Payload', async () => {
    let sent: unknown;
    const task = lambdaInvoke(async (request) => {
      sent = { ...request, signal: undefined };
      return { payload: '[1]', failed: false };
    });
    expect(await task({ FunctionName: 'f', Payload: { a: 'é' } }, call)).toMatchObject({
      Payload: [1],
      StatusCode: 200,
    });
    expect(sent).toEqual({ functionName: 'f', payload: '{"a":"é"}', signal: undefined });
  });

  it.each([
    { name: 'nothing', payload: '', value: null },
    { name: 'null', payload: 'null', value: null },
  ])('gives null for $name', async ({ payload, value }) => {
    expect(await answer({ payload, failed: false })).toMatchObject({ Payload: value });
  });

  it.each<{ name: string; payload: string; error: string; cause: string }>([
    {
      name: 'names the error by its type',
      payload: '{"errorType":"TargetThrottledError","errorMessage":"m"}',
      error: 'TargetThrottledError',
      cause: '{"errorType":"TargetThrottledError","errorMessage":"m"}',
    },
    {
      name: 'has a name for no type',
      payload: '{"errorMessage":"Task timed out"}',
      error: 'Lambda.Unknown',
      cause:
        'The cause could not be determined because Lambda did not return an error type. Returned payload: {"errorMessage":"Task timed out"}',
    },
    {
      name: 'has a name for no JSON',
      payload: 'boom',
      error: 'Lambda.Unknown',
      cause: 'The cause could not be determined because Lambda did not return an error type. Returned payload: boom',
    },
  ])('$name', async ({ payload, error, cause }) => {
    await expect(answer({ payload, failed: true })).rejects.toMatchObject({ error, causeText: cause });
  });

  it.each<{ name: string; args: JsonValue }>([
    { name: 'no function', args: { Payload: 1 } },
    { name: 'an unknown argument', args: { FunctionName: 'f', Qualifier: '1' } },
    { name: 'no object', args: 'f' },
  ])('refuses $name', async ({ args }) => {
    await expect(answer({ payload: '1', failed: false }, args)).rejects.toMatchObject({ error: 'States.Runtime' });
  });

  it('keeps 32,768 characters of a cause', async () => {
    const payload = JSON.stringify({ errorType: 'E', errorMessage: 'x'.repeat(40_000) });
    await expect(answer({ payload, failed: true })).rejects.toMatchObject({ causeText: payload.slice(0, 32_768) });
  });
});
