import { expect, it } from 'vitest';
import { type JudgeHashInput, judgeHash } from '../../../src/core/judging/judge-hash.ts';
import { type JudgeConfig, JudgeConfigSchema } from '../../../src/core/schemas/judge-config.ts';

const nova: JudgeConfig = JudgeConfigSchema.parse({ model: 'us.amazon.nova-2-lite-v1:0' });
const local: JudgeConfig = JudgeConfigSchema.parse({
  type: 'openai',
  url: 'http://127.0.0.1/v1',
  model: 'm',
  api_key: 'k',
});
const base: JudgeHashInput = {
  judges: [nova, local],
  promptVersions: ['metrics@1'],
  rubric: null,
  scales: null,
  settings: null,
};

it.each([
  ['the order of a jury', { judges: [local, nova] }],
  ['a prompt named twice', { promptVersions: ['metrics@1', 'metrics@1'] }],
  ['the region', { judges: [{ ...nova, region: 'eu-west-1' } as JudgeConfig, local] }],
  ['the address and the key', { judges: [nova, { ...local, url: 'http://other/v1', api_key: 'x' } as JudgeConfig] }],
])('does not change with %s', (_, over) => {
  expect(judgeHash({ ...base, ...over })).toBe(judgeHash(base));
});

it.each([
  ['a judge less', { judges: [nova] }],
  ['the model', { judges: [{ ...nova, model: 'other' } as JudgeConfig, local] }],
  ['the temperature', { judges: [{ ...nova, temperature: 0.5 } as JudgeConfig, local] }],
  ['the prompt version', { promptVersions: ['metrics@2'] }],
  ['the rubric', { rubric: 'Be brief.' }],
  ['the scales', { scales: 'bedrock' }],
  ['the settings', { settings: { judge_calls: 'per_metric' } }],
])('changes with %s', (_, over) => {
  expect(judgeHash({ ...base, ...over })).not.toBe(judgeHash(base));
});
