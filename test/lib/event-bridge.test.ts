import { describe, expect, it } from 'vitest';
import { matches, transform } from './event-bridge.ts';

const event = {
  source: 'assay',
  detail: { status: 'failed', score: 0.7, ref: null, tags: ['a', 'b'], cost: { usd: 2 } },
};

describe('patterns, as EventBridge documents them', () => {
  it.each([
    [{ source: ['assay'] }, true],
    [{ source: ['aws.s3', 'assay'] }, true],
    [{ source: ['Assay'] }, false],
    [{ detail: { status: ['failed'], score: [0.7] } }, true],
    [{ detail: { status: ['failed'], score: [0.8] } }, false],
    [{ detail: { ref: [null] } }, true],
    [{ detail: { gone: [null] } }, false],
    [{ detail: { tags: ['b'] } }, true],
    [{ detail: { tags: ['c'] } }, false],
    [{ detail: { status: [{ prefix: 'fail' }] } }, true],
    [{ detail: { status: [{ 'anything-but': ['passed'] }] } }, true],
    [{ detail: { status: [{ 'anything-but': 'failed' }] } }, false],
    [{ detail: { gone: [{ 'anything-but': 'x' }] } }, false],
    [{ detail: { gone: [{ exists: false }], status: [{ exists: true }] } }, true],
    [{ detail: { cost: { usd: [{ numeric: ['>', 1, '<=', 2] }] } } }, true],
    [{ detail: { cost: { usd: [{ numeric: ['<', 2] }] } } }, false],
  ])('%j: %s', (pattern, expected) => {
    expect(matches(pattern, event)).toBe(expected);
  });

  it.each([{ source: 'assay' }, { source: [] }, { source: [{ like: 'a' }] }])('refuses %j', (pattern) => {
    expect(() => matches(pattern, event)).toThrow(TypeError);
  });
});

describe('input transformers', () => {
  const paths = { s: '$.detail.status', n: '$.detail.score', gone: '$.detail.gone', q: '$.quote' };
  it.each([
    ['"is <s>"', '"is failed"'],
    ['{"a":<s>,"b":<n>}', '{"a":"failed","b":0.7}'],
    ['{"a":"x \\" <s>"}', '{"a":"x \\" failed"}'],
    ['"<gone>"', '""""'],
  ])('%s', (InputTemplate, expected) => {
    expect(transform({ InputPathsMap: paths, InputTemplate }, event)).toBe(expected);
  });

  it('a quote in a text breaks the string that it is put into', () => {
    const made = transform({ InputPathsMap: paths, InputTemplate: '"<q>"' }, { quote: 'say "no"' });
    expect(() => JSON.parse(made)).toThrow(SyntaxError);
  });
});
