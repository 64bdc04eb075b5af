import type { Context } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';

const env = {
  STAGE: 'prod',
  LOG_LEVEL: 'INFO',
  TABLE_NAME: 'table',
  BUCKET_NAME: 'bucket',
  SECRETS_PREFIX: 'assay',
  EVENT_BUS_NAME: 'default',
  MAX_QUEUED_RUNS: '100',
  STATE_MACHINE_ARN: 'arn:aws:states:eu-west-1:123456789012:stateMachine:runs',
  INGEST_FUNCTION_NAME: 'ingest',
  SCHEDULE_GROUP: 'assay-prod',
  SCHEDULE_TARGET_ARN: 'arn:aws:lambda:eu-west-1:123456789012:function:start-scheduled',
  SCHEDULE_ROLE_ARN: 'arn:aws:iam::123456789012:role/caller',
  SCHEDULE_DEAD_LETTER_ARN: 'arn:aws:sqs:eu-west-1:123456789012:failures',
  COMPACT_FUNCTION_NAME: 'compact',
  API_AUTH: 'token',
};

describe('functions as Lambda loads them', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('answer without a client built and refuse what needs none', async () => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const { handler } = await import('../../../lambdas/api/index.ts');
    const call = (routeKey: string) => handler({ routeKey, headers: {} }, {} as Context);
    expect(await call('GET /nowhere')).toMatchObject({ statusCode: 404 });
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    expect(await call('GET /api/projects')).toMatchObject({ statusCode: 401 });
    expect(warn).toHaveBeenCalledOnce();
  });

  it('fail at their start, by name, when the environment lacks a variable', async () => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, name === 'BUCKET_NAME' ? undefined : value);
    await expect(import('../../../lambdas/ingest-dataset/index.ts')).rejects.toThrow('BUCKET_NAME');
  });
});
