import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wellFormed } from '../../src/core/well-formed.ts';

it('replaces half characters wherever they stand, and nothing else', () => {
  expect(wellFormed('a\ud800b')).toBe('a\ufffdb');
  expect(wellFormed('😀')).toBe('😀');
  expect(wellFormed({ 'k\udc00': ['x\udfff', 1, null, true] })).toEqual({ 'k\ufffd': ['x\ufffd', 1, null, true] });
});

it('leaves every well-formed JSON value as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
      expect(wellFormed(value)).toEqual(value);
    }),
  );
});
