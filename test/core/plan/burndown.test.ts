import { expect, it } from 'vitest';
import { burndownOf } from '../../../src/core/plan/burndown.ts';

it.each([
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 5],
  ['us.anthropic.claude-sonnet-4-6', 5],
  ['anthropic.claude-opus-4-20250514-v1:0', 5],
  ['anthropic.claude-3-5-sonnet-20241022-v2:0', 5],
  ['anthropic.claude-v2', 5],
  ['anthropic.claude-opus-4-8', 15],
  ['global.anthropic.claude-sonnet-5', 10],
  ['anthropic.claude-fable-5-1', 10],
  ['arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-8', 15],
  ['openai.gpt-5.6', 10],
  ['openai.gpt-oss-20b-1:0', 1],
  ['us.amazon.nova-micro-v1:0', 1],
  ['arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc', 1],
])('a token of output of %s takes %d of the quota', (model, factor) => expect(burndownOf(model)).toBe(factor));
