import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffWords } from '../../src/report/word-diff.ts';

const marked = (parts: readonly { text: string; changed: boolean }[] = []) =>
  parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('');

describe('words that differ', () => {
  it.each([
    {
      name: 'one word',
      before: 'within 30 days',
      after: 'within 90 days',
      marks: ['within [30] days', 'within [90] days'],
    },
    { name: 'nothing', before: 'the same', after: 'the same', marks: ['the same', 'the same'] },
    {
      name: 'what was added',
      before: 'open today',
      after: 'open today only',
      marks: ['open today', 'open today[ only]'],
    },
    { name: 'white space alone', before: 'a b c d', after: 'a b  c d', marks: ['a b[ ]c d', 'a b[  ]c d'] },
  ])('are marked on both sides: $name', ({ before, after, marks }) => {
    const diff = diffWords(before, after);
    expect([marked(diff?.before), marked(diff?.after)]).toEqual(marks);
  });

  it('are not marked in texts that have next to nothing in common', () => {
    expect(diffWords('Our hotline is open on Monday.', 'Bananas grow in bunches near a river.')).toBeNull();
    expect(diffWords('', 'A first answer.')).not.toBeNull();
  });

  it('are given up on, not searched for without end, in long texts that are all different', () => {
    const words = (of: string) => Array.from({ length: 20_000 }, (_, at) => `${of}${at}`).join(' ');
    expect(diffWords(words('a'), words('b'))).toBeNull();
  });

  it('are found in long texts that differ in a few', () => {
    const text = Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(' ');
    const diff = diffWords(text, text.replace('w777 ', 'other '));
    expect(diff?.after.filter(({ changed }) => changed)).toEqual([{ text: 'other', changed: true }]);
  });

  it('leave both texts as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
        const diff = diffWords(before, after);
        if (diff === null) return;
        expect(diff.before.map(({ text }) => text).join('')).toBe(before);
        expect(diff.after.map(({ text }) => text).join('')).toBe(after);
      }),
    );
  });
});
