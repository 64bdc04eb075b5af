import { describe, expect, it } from 'vitest';
import type { TargetConfig } from '../../../src/core/schemas/target-config.ts';
import { TargetConfigSchema } from '../../../src/core/schemas/target-config.ts';
import { constantRequests } from '../../../src/core/template/constant-request.ts';

const warningsOf = (target: object) =>
  constantRequests([{ id: 'bot', ...TargetConfigSchema.parse(target) } as TargetConfig]);

describe('a request that is the same for every row', () => {
  it.each([
    [{ url: 'https://a.example', body_template: { q: 'hello' } }, 'url, headers or body_template'],
    [{ url: 'https://a.example', body_template: { q: '{{secrets.KEY}}' } }, 'url, headers or body_template'],
    [{ url: 'https://a.example', body_template: { q: '{{history}}' } }, 'url, headers or body_template'],
    [{ url: 'https://a.example', method: 'GET' }, 'url or headers'],
    [{ type: 'lambda', function_arn: 'arn', payload_template: 'hi' }, 'payload_template'],
    [{ type: 'bedrock', model: 'm', prompt: 'hi' }, 'prompt'],
    [{ type: 'bedrock', model: 'm', messages: [{ role: 'user', content: 'hi' }] }, 'messages'],
  ])('is said: %j', (target, where) => {
    expect(warningsOf(target)).toEqual([`target bot: no {{input}} in ${where}: every row sends the same request`]);
  });

  it.each([
    { url: 'https://a.example' },
    { url: 'https://a.example/{{ row.id }}', body_template: {} },
    { url: 'https://a.example', headers: { 'X-Q': '{{metadata.q}}' }, body_template: {} },
    { url: 'https://a.example', body_template: [{ deep: ['{{input.question?}}'] }] },
    { url: 'https://a.example', body_template: { '{{input}}': 1 } },
    { url: 'https://a.example', body_template: { q: '{{contexts}}' } },
    { type: 'bedrock', model: 'm' },
    { type: 'recorded' },
    { type: 'lambda', function_arn: 'arn' },
  ])('is not said of %j', (target) => {
    expect(warningsOf(target)).toEqual([]);
  });
});
