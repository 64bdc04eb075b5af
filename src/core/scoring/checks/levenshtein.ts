import { distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { foldText, rulesFor } from './fold.ts';
import { shorten } from './shorten.ts';
import type { TextCheck } from './text-check.ts';

const LevenshteinOptionsSchema = z.strictObject({
  /** Least similarity, 1 − distance ÷ length of the longer text. @default 0.8 */
  threshold: z.number().min(0).max(1).optional(),
  /** Instead of the threshold: most single-character edits. */
  max_distance: z.number().int().nonnegative().optional(),
  case_sensitive: z.boolean().optional(),
});

const DEFAULT_SIMILARITY = 0.8;
/** Time grows with the product of the lengths: two texts of 20,000 take 50 ms. */
const MAX_LENGTH = 20_000;
const EPSILON = 1e-9;

/** Few single-character edits lie between the answer and the expected text, both trimmed and folded. */
export const levenshteinCheck: TextCheck<z.infer<typeof LevenshteinOptionsSchema>> = {
  name: 'levenshtein',
  options: LevenshteinOptionsSchema,
  faultOfOptions({ threshold, max_distance }) {
    if (threshold === undefined || max_distance === undefined) return null;
    return { message: 'both threshold and max_distance are given', fix: 'keep one of them' };
  },
  faultOfExpected(expected) {
    if (expected.length <= MAX_LENGTH) return null;
    return { message: `the expected text is longer than ${MAX_LENGTH} characters`, fix: 'use rouge-l, or a judge' };
  },
  compare(answer, expected, options, rules) {
    const { textMatch } = rulesFor(options, rules);
    const [actual, wanted] = [foldText(answer, textMatch).trim(), foldText(expected, textMatch).trim()];
    if (actual.length > MAX_LENGTH) {
      return { passed: false, isError: true, reason: `the answer is longer than ${MAX_LENGTH} characters` };
    }
    const edits = distance(actual, wanted);
    const similarity = 1 - edits / Math.max(actual.length, wanted.length, 1);
    const { threshold = DEFAULT_SIMILARITY, max_distance: most } = options;
    const passed = most === undefined ? similarity >= threshold - EPSILON : edits <= most;
    const limit = most === undefined ? `similarity ${similarity.toFixed(3)}, at least ${threshold}` : `at most ${most}`;
    return { passed, reason: `${edits} edits from ${shorten(expected)} (${limit} wanted)`, rawScore: similarity };
  },
};
