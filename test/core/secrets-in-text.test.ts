import { describe, expect, it } from 'vitest';
import { secretFinder, shortSecretWarnings } from '../../src/core/secrets-in-text.ts';

describe('secretFinder', () => {
  const find = secretFinder(
    new Map([
      ['KEY', 'Berlin'],
      ['QUOTED', 'say "no"'],
      ['SHORT', 'abc'],
    ]),
  );

  it.each([
    ['Berlin', 'KEY'],
    ['{"expected":"Berlin"}', 'KEY'],
    [JSON.stringify({ expected: 'say "no" now' }), 'QUOTED'],
    ['abc', null],
    ['berlin', null],
    ['', null],
  ])('%j holds %s', (text, name) => {
    expect(find(text)).toBe(name);
  });
});

describe('shortSecretWarnings', () => {
  it('names a secret that is too short to be redacted, never its value', () => {
    expect(
      shortSecretWarnings(
        new Map([
          ['PIN', 'xyz'],
          ['KEY', 'long enough'],
        ]),
      ),
    ).toEqual(['secret PIN has fewer than 4 characters: it is not redacted in results']);
  });
});
