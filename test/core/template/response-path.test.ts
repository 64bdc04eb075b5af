import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/core/errors.ts';
import type { JsonValue } from '../../../src/core/json.ts';
import { compilePath } from '../../../src/core/template/response-path.ts';

const openAi = { id: 'r1', choices: [{ index: 0, message: { role: 'assistant', content: 'Within 30 days.' } }] };
const where = 'targets.0.response_path';

function read(path: string, value: JsonValue) {
  return compilePath(path, { where }).read(value);
}

describe('compilePath', () => {
  it.each([
    { path: 'choices.0.message.content', body: openAi, value: 'Within 30 days.' },
    { path: '$.choices[0].message.content', body: openAi, value: 'Within 30 days.' },
    { path: 'choices[-1].message.content', body: openAi, value: 'Within 30 days.' },
    { path: 'choices.-1.message.content', body: openAi, value: 'Within 30 days.' },
    { path: '$', body: openAi, value: openAi },
    { path: '$[1]', body: ['a', 'b'], value: 'b' },
    { path: '[1]', body: ['a', 'b'], value: 'b' },
    {
      path: 'result["v1.0"].text',
      body: { result: { 'v1.0': { text: 'ok' }, v1: { 0: { text: 'wrong' } } } },
      value: 'ok',
    },
    { path: "$['a.b'][ 'c' ]", body: { 'a.b': { c: 1 } }, value: 1 },
    { path: '["a\\"b"]', body: { 'a"b': 1 }, value: 1 },
    { path: '["]"]', body: { ']': 1 }, value: 1 },
    { path: 'a.0', body: { a: { 0: 'key' } }, value: 'key' },
    { path: 'a-b.c d', body: { 'a-b': { 'c d': 1 } }, value: 1 },
    { path: '$type', body: { $type: 't' }, value: 't' },
    { path: 'a', body: { a: '' }, value: '' },
    { path: 'a', body: { a: 0 }, value: 0 },
    { path: 'a', body: { a: false }, value: false },
    { path: ' a ', body: { a: 1 }, value: 1 },
  ])('$path finds $value', ({ path, body, value }) => {
    expect(read(path, body as JsonValue)).toEqual({ status: 'found', value });
  });

  it.each([
    { path: 'data.reply', body: { data: { answer: 'ok' } }, says: ['data.reply', '"data" has the keys answer'] },
    { path: 'reply', body: { id: 1, answer: 'ok' }, says: ['reply', 'the body has the keys id, answer'] },
    { path: 'a.5', body: { a: [1, 2] }, says: ['"a" is a list of 2'] },
    { path: 'a[-3]', body: { a: [1, 2] }, says: ['a list of 2'] },
    { path: 'a.length', body: { a: [1, 2] }, says: ['a list of 2'] },
    { path: 'a.length', body: { a: 'text' }, says: ['"a" is text'] },
    { path: 'a.0', body: { a: 'text' }, says: ['"a" is text'] },
    { path: 'a[0]', body: { a: { 0: 'key' } }, says: ['"a" has the keys 0'] },
    { path: 'a.b', body: { a: null }, says: ['"a" is null'] },
    { path: 'constructor', body: {}, says: ['empty object'] },
    { path: '__proto__.x', body: {}, says: ['__proto__'] },
  ])('$path finds nothing in $body and says what is there', ({ path, body, says }) => {
    const reading = read(path, body as JsonValue);
    expect(reading.status).toBe('absent');
    for (const text of says) expect(reading).toHaveProperty('message', expect.stringContaining(text));
  });

  it('tells null from absent', () => {
    expect(read('answer', { answer: null })).toEqual({ status: 'null', message: 'path "answer" is null' });
    expect(read('$', null).status).toBe('null');
  });

  it('names at most ten keys, and short ones', () => {
    const keys = Array.from({ length: 30 }, (_, index) => [`key-${index}-${'x'.repeat(100)}`, 1]);
    const reading = read('nope', Object.fromEntries(keys));
    expect('message' in reading && reading.message.length).toBeLessThan(600);
  });

  it.each([
    '',
    '  ',
    'a..b',
    '.a',
    'a.',
    '$.',
    '$..a',
    'a[',
    'a[]',
    'a[x]',
    'a[0:2]',
    'a[*]',
    'a.*',
    'a]',
    'a[0]b',
    'a["x]',
  ])('refuses %j', (path) => {
    expect(() => compilePath(path, { where })).toThrow(ConfigError);
    expect(() => compilePath(path, { where })).toThrow(where);
  });
});
