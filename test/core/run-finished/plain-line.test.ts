import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, plainLine } from '../../../src/core/run-finished/plain-line.ts';

describe('plainLine', () => {
  it.each([
    { name: 'lines become one', text: 'a\r\n b\tc\u2028d\u0085e', plain: 'a b c d e' },
    { name: 'quotes end no string', text: 'say "no" to C:\\x', plain: "say 'no' to C:/x" },
    { name: 'no mention of a Slack channel', text: '<!channel> <@U1> <script>', plain: '‹!channel› ‹@U1› ‹script›' },
    { name: 'no direction is turned', text: 'a\u202eb\u2066c\u200bd', plain: 'abcd' },
    { name: 'no half of a character', text: 'a\ud83d b', plain: 'a\ufffd b' },
    { name: 'no terminal codes', text: '\u001b[31mred\u001b[0m', plain: '[31mred [0m' },
    { name: 'what people write stays', text: 'Zoë 日本語 🚀 50 %', plain: 'Zoë 日本語 🚀 50 %' },
    { name: 'nothing is nothing', text: ' \n ', plain: '' },
  ])('$name', ({ text, plain }) => {
    expect(plainLine(text, 100)).toBe(plain);
  });

  it('can stand between quotes in JSON, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (text, length) => {
        const plain = plainLine(text, length);
        expect(JSON.parse(`"${plain}"`)).toBe(plain);
        expect(plain.length).toBeLessThanOrEqual(length);
        expect(plain).not.toMatch(/[<>"\\\n]/);
      }),
    );
  });
});

describe('cut', () => {
  it.each([
    { text: 'abc', length: 3, kept: 'abc' },
    { text: 'abcd', length: 3, kept: 'ab…' },
    { text: 'a🚀🚀', length: 3, kept: 'a…' },
    { text: '', length: 1, kept: '' },
  ])('$text at $length', ({ text, length, kept }) => {
    expect(cut(text, length)).toBe(kept);
  });
});
