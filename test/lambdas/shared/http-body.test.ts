import { describe, expect, it } from 'vitest';
import { readJson } from '../../../lambdas/shared/http-body.ts';
import { HttpProblem } from '../../../lambdas/shared/http-problem.ts';
import { readRequest } from '../../../lambdas/shared/http-request.ts';

const read = (body: string) => readJson(readRequest({ routeKey: 'POST /', body }));
const wide = '0,'.repeat(100_000);

describe('a JSON body', () => {
  it.each([
    ['"\\ud83d\\ude00"', '😀'],
    ['{"a":"\\\\ud800"}', { a: '\\ud800' }],
    [`["\\ud83d\\ude00",${wide}0]`, expect.arrayContaining(['😀'])],
    [`${'['.repeat(100)}1${']'.repeat(100)}`, expect.any(Array)],
    ['', undefined],
    [' \n', undefined],
  ])('is read as it is: %.30s', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each([
    '"\\ud800"',
    '{"a":[{"b":"x\\uDFFF"}]}',
    '{"\\ud800":1}',
    `["\\ud800",${wide}0]`,
    `${'['.repeat(50_000)}"\\ud800"${']'.repeat(50_000)}`,
    '{"a":[1e999]}',
    `${'['.repeat(102)}${']'.repeat(102)}`,
    `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`,
    '{"a":1',
    '\u0000',
  ])('that nobody can store or show is refused: %.30s', (text) => {
    expect(() => read(text)).toThrow(HttpProblem);
    expect(() => read(text)).toThrow(/not JSON|half a character|deeper than 100 levels|beyond the range/);
  });

  it('is taken up to 256 KB', () => {
    expect(read(`"${'x'.repeat(256 * 1024 - 2)}"`)).toHaveLength(256 * 1024 - 2);
    expect(() => read(`"${'x'.repeat(256 * 1024 - 1)}"`)).toThrow(/262144 bytes, this one has 262145/);
  });
});
