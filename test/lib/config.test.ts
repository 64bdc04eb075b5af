import { describe, expect, it } from 'vitest';
import { readStageConfig } from '../../lib/config.ts';
import { readCdkContext } from '../../lib/render-workflow.ts';
import { ConfigError } from '../../src/core/errors.ts';

describe('readStageConfig', () => {
  it('retains and protects the data of a stage that says nothing', () => {
    const config = readStageConfig({ prod: {} }, 'prod');
    expect(config).toMatchObject({ removal: 'retain', deletionProtection: true, secretsPrefix: 'assay' });
  });

  it('lets a stage that may be destroyed go without protection', () => {
    const config = readStageConfig({ dev: { removal: 'destroy' } }, 'dev');
    expect(config).toMatchObject({ removal: 'destroy', deletionProtection: false });
  });

  it('keeps the secrets of two stages in one account apart', () => {
    const stages = { prod: {}, dev: {} };
    expect(readStageConfig(stages, 'dev').secretsPrefix).not.toBe(readStageConfig(stages, 'prod').secretsPrefix);
  });

  it('has a prod stage without any stages configured', () => {
    expect(readStageConfig(undefined, 'prod').stage).toBe('prod');
  });

  it.each(['prod', 'dev'])('accepts the stage %s of cdk.json', (stage) => {
    expect(readStageConfig(readCdkContext()['assay:stages'], stage).stage).toBe(stage);
  });

  it.each([
    { name: 'an unknown setting', settings: { memory: 1 }, stage: 'prod', says: 'memory' },
    { name: 'a nested setting that is wrong', settings: { api: { auth: 'none' } }, stage: 'prod', says: 'api.auth' },
    {
      name: 'a retention CloudWatch does not have',
      settings: { logRetentionDays: 31 },
      stage: 'prod',
      says: 'logRetentionDays',
    },
    {
      name: 'protection of data to be destroyed',
      settings: { removal: 'destroy', deletionProtection: true },
      stage: 'prod',
      says: 'deletionProtection',
    },
    {
      name: 'a wildcard for a model',
      settings: { bedrock: { models: ['us.amazon.*'] } },
      stage: 'prod',
      says: 'bedrock.models.0',
    },
    ...[
      { field: 'functions', wrong: 'arn:aws:lambda:us-east-1:111122223333:function:*' },
      { field: 'functions', wrong: 'support-bot' },
      { field: 'agentRuntimes', wrong: 'arn:aws:bedrock-agentcore:us-east-1:111122223333:runtime/*' },
      { field: 'agents', wrong: 'AGENT12345' },
      { field: 'agents', wrong: 'AGENT12345/*' },
      { field: 'knowledgeBases', wrong: '*' },
    ].map(({ field, wrong }) => ({
      name: `"${wrong}" among targets.${field}`,
      settings: { targets: { [field]: [wrong] } },
      stage: 'prod',
      says: `targets.${field}.0`,
    })),
    { name: 'a stage name that no stack may have', settings: {}, stage: 'My Stage', says: 'stage' },
  ])('refuses $name and names it', ({ settings, stage, says }) => {
    const read = () => readStageConfig({ [stage]: settings }, stage);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(says);
  });

  it('names the stages there are when asked for another', () => {
    expect(() => readStageConfig({ prod: {}, dev: {} }, 'test')).toThrow(/"test".*prod, dev/);
  });
});
