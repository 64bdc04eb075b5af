import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, HIDDEN_CHARACTERS, snippet, visibleLine, visibleText } from '../../src/report/visible-text.ts';

describe('visible text', () => {
  it.each([
    ['a\u202Eb', 'a⟨U+202E⟩b'],
    ['\u001b[31m', '⟨U+001B⟩[31m'],
    ['\u0000', '⟨U+0000⟩'],
    ['\u{e0041}', '⟨U+E0041⟩'],
    ['a\r\nb\tc', 'a\nb\tc'],
    ['a\rb', 'a⟨U+000D⟩b'],
    ['\ud800', '\ufffd'],
    ['👩‍💻 می‌خواهم', '👩‍💻 می‌خواهم'],
  ])('spells %j as %j', (text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  it('leaves no hidden character in any text', () => {
    const hidden = new RegExp(HIDDEN_CHARACTERS, 'u');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(hidden.test(visibleText(text))).toBe(false);
        expect(visibleLine(text)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  it('never cuts a pair in half', () => {
    expect(cutText('a😀b', 2)).toBe('a');
    expect(cutText('a😀b', 3)).toBe('a😀');
  });

  it('says that something was left out', () => {
    expect(snippet('word '.repeat(100_000), 20)).toHaveLength(20);
    expect(snippet('word '.repeat(100_000), 20)).toMatch(/…$/);
    expect(snippet('short', 20)).toBe('short');
  });
});
