import type * as z from 'zod';
import { foldText, rulesFor, TextOptionsSchema, type TextRules } from './fold.ts';
import { occurrences, standsAlone } from './occurrences.ts';
import { shorten } from './shorten.ts';
import type { TextCheck } from './text-check.ts';

/** The expected text stands somewhere in the answer. Punctuation and blanks count: `256 KB` is not in `256KB`. */
export const containsCheck: TextCheck<z.infer<typeof TextOptionsSchema>> = {
  name: 'contains',
  options: TextOptionsSchema,
  compare(answer, expected, options, evalRules) {
    const rules = rulesFor(options, evalRules);
    if (foldText(expected, rules.textMatch).trim() === '') {
      return { passed: false, isError: true, reason: 'the expected text is blank' };
    }
    if (containsText(answer, expected, rules)) return { passed: true, reason: `contains ${shorten(expected)}` };
    const inWord = rules.wordBoundary && containsText(answer, expected, { ...rules, wordBoundary: false });
    const reason = `does not contain ${shorten(expected)}${inWord ? ' as a word of its own' : ''}`;
    return { passed: false, reason };
  },
};

/** Never true for a blank `expected`: a check that cannot fail checks nothing. */
export function containsText(answer: string, expected: string, rules: TextRules): boolean {
  const text = foldText(answer, rules.textMatch);
  const needle = foldText(expected, rules.textMatch);
  if (needle.trim() === '') return false;
  if (!rules.wordBoundary) return text.includes(needle);
  for (const start of occurrences(text, needle)) if (standsAlone(text, start, start + needle.length)) return true;
  return false;
}
