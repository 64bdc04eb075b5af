import { describe, expect, it } from 'vitest';
import { modelFamily, selfJudging } from '../../../src/core/judging/model-family.ts';

describe('family of a model', () => {
  it.each([
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'Anthropic'],
    ['claude-sonnet-4-6', 'Anthropic'],
    ['us.amazon.nova-2-lite-v1:0', 'Amazon'],
    ['openai.gpt-oss-20b-1:0', 'OpenAI'],
    ['gpt-5.6', 'OpenAI'],
    ['qwen.qwen3-32b-v1:0', 'Alibaba'],
    ['us.meta.llama4-scout-17b-instruct-v1:0', 'Meta'],
    ['arn:aws:bedrock:us-east-1::foundation-model/mistral.mistral-large-3', 'Mistral'],
    ['innovation-model', null],
    ['support-assistant-v3', null],
  ])('of %s is %s', (model, family) => {
    expect(modelFamily(model)).toBe(family);
  });
});

describe('self-judging', () => {
  it.each([
    { name: 'the same model', judge: 'amazon.nova-lite', target: 'amazon.nova-lite', says: /rules on itself/ },
    {
      name: 'a sibling',
      judge: 'us.amazon.nova-2-lite-v1:0',
      target: 'us.amazon.nova-micro-v1:0',
      says: /both by Amazon/,
    },
  ])('warns of $name', ({ judge, target, says }) => {
    expect(selfJudging([judge], [{ id: 'bedrock', model: target }])).toEqual([expect.stringMatching(says)]);
  });

  it.each([
    { name: 'another family', judge: 'us.anthropic.claude-haiku-4-5', target: 'us.amazon.nova-micro-v1:0' },
    { name: 'models whose makers are unknown', judge: 'my-judge', target: 'my-bot' },
    { name: 'a target that is no model', judge: 'us.amazon.nova-2-lite-v1:0', target: null },
  ])('says nothing of $name', ({ judge, target }) => {
    expect(selfJudging([judge], [{ id: 'a', model: target }])).toEqual([]);
  });
});
