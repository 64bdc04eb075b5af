import { l as rougeL, n as rougeN } from 'js-rouge';
import * as z from 'zod';
import { foldText, type TextRules } from './fold.ts';
import { shorten } from './shorten.ts';
import type { CheckResult, TextCheck } from './text-check.ts';

const threshold = z.number().min(0).max(1).optional();
const RougeLOptionsSchema = z.strictObject({ /** Least F1. @default 0.75 */ threshold });
const RougeNOptionsSchema = z.strictObject({
  threshold,
  /** Words a gram. @default 1 */ n: z.number().int().min(1).max(10).optional(),
});

const DEFAULT_THRESHOLD = 0.75;
const EPSILON = 1e-9;
/** Time and memory of ROUGE-L grow with the product of the lengths. */
const MAX_WORDS = 2_000;
/** Scripts without blanks between words: a character is a word. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

/** Share of the longest common subsequence of words, as F1. */
export const rougeLCheck: TextCheck<z.infer<typeof RougeLOptionsSchema>> = {
  name: 'rouge-l',
  options: RougeLOptionsSchema,
  faultOfExpected: (expected) => wordFault(expected, 1),
  compare: (answer, expected, options, rules) =>
    compareWords(answer, expected, rules, 1, options.threshold, (actual, wanted) =>
      rougeL(actual, wanted, { tokenizer, segmenter: (text) => [text] }),
    ),
};

/** Share of the word n-grams in common, as F1. */
export const rougeNCheck: TextCheck<z.infer<typeof RougeNOptionsSchema>> = {
  name: 'rouge-n',
  options: RougeNOptionsSchema,
  faultOfExpected: (expected, { n = 1 }) => wordFault(expected, n),
  compare: (answer, expected, { n = 1, threshold: least }, rules) =>
    compareWords(answer, expected, rules, n, least, (actual, wanted) => rougeN(actual, wanted, { n, tokenizer })),
};

function compareWords(
  answer: string,
  expected: string,
  rules: TextRules,
  leastWords: number,
  least = DEFAULT_THRESHOLD,
  measure: (actual: string, wanted: string) => number,
): CheckResult {
  const [actual, wanted] = [wordsOf(answer, rules), wordsOf(expected, rules)];
  if (actual.length > MAX_WORDS) {
    return { passed: false, isError: true, reason: `the answer has more than ${MAX_WORDS} words` };
  }
  // The library takes no text that is too short for a single gram.
  const score = actual.length < leastWords ? 0 : measure(actual.join(' '), wanted.join(' '));
  const passed = score >= least - EPSILON;
  const reason = `F1 ${score.toFixed(3)} with ${shorten(expected)}, at least ${least} wanted`;
  return { passed, reason, rawScore: Math.min(1, Math.max(0, score)) };
}

const wordsOf = (text: string, { textMatch }: TextRules): string[] => foldText(text, textMatch).match(WORD) ?? [];
const tokenizer = (text: string): string[] => text.split(' ');

function wordFault(expected: string, leastWords: number): { message: string; fix: string } | null {
  const count = (expected.match(WORD) ?? []).length;
  if (count < leastWords) {
    const message = `the expected ${shorten(expected)} has ${count} words, fewer than a gram of ${leastWords}`;
    return { message, fix: 'use a smaller n, or contains' };
  }
  if (count <= MAX_WORDS) return null;
  return { message: `the expected text has more than ${MAX_WORDS} words`, fix: 'use a judge' };
}
