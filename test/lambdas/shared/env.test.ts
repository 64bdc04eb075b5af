import { describe, expect, it } from 'vitest';
import { EvaluateRowsEnvSchema } from '../../../lambdas/evaluate-rows/env.ts';
import { parseEnv } from '../../../lambdas/shared/env.ts';
import { ConfigError } from '../../../src/core/errors.ts';

const env = {
  STAGE: 'prod',
  LOG_LEVEL: 'INFO',
  TABLE_NAME: 'table',
  BUCKET_NAME: 'bucket',
  SECRETS_PREFIX: 'assay',
  EVENT_BUS_NAME: 'default',
  MAX_QUEUED_RUNS: '100',
  MAX_CONCURRENT_BATCHES: '50',
  MAX_ROWS_IN_FLIGHT: '20',
  PATH: '/usr/bin',
};

describe('parseEnv', () => {
  it('turns numbers into numbers and leaves out what the function does not ask for', () => {
    const parsed = parseEnv(EvaluateRowsEnvSchema, env);
    expect(parsed).toMatchObject({ MAX_CONCURRENT_BATCHES: 50, MAX_ROWS_IN_FLIGHT: 20 });
    expect(parsed).not.toHaveProperty('PATH');
  });

  it('names every variable that is missing', () => {
    const { TABLE_NAME, BUCKET_NAME, ...rest } = env;
    const parse = () => parseEnv(EvaluateRowsEnvSchema, rest);
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(/TABLE_NAME[\s\S]*BUCKET_NAME/);
  });

  it.each(['0', '-1', '1.5', '1e3', '', ' 7', '20 rows', '9999999999'])('refuses %j for a number', (text) => {
    expect(() => parseEnv(EvaluateRowsEnvSchema, { ...env, MAX_ROWS_IN_FLIGHT: text })).toThrow('MAX_ROWS_IN_FLIGHT');
  });

  it('never repeats a value', () => {
    const parse = () => parseEnv(EvaluateRowsEnvSchema, { ...env, LOG_LEVEL: 'hunter2' });
    expect(parse).toThrow('LOG_LEVEL');
    expect(parse).not.toThrow('hunter2');
  });
});
