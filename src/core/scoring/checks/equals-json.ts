import * as z from 'zod';
import { firstDifference, parseJsonText } from './json-equality.ts';
import { shorten } from './shorten.ts';
import type { TextCheck } from './text-check.ts';

const EqualsJsonOptionsSchema = z.strictObject({
  /** Largest difference between two numbers that still passes. @default 0 */
  tolerance: z.number().nonnegative().optional(),
});

/** The whole answer is JSON and equals the expected value, key order free. Text in a fence needs `extract`. */
export const equalsJsonCheck: TextCheck<z.infer<typeof EqualsJsonOptionsSchema>> = {
  name: 'equals-json',
  options: EqualsJsonOptionsSchema,
  expectedAsWritten: true,
  faultOfExpected(expected) {
    const parsed = parseJsonText(expected);
    if ('value' in parsed) return null;
    const fix = 'write JSON; text stands in double quotes';
    return { message: `the expected ${shorten(expected)} is no JSON (${parsed.fault})`, fix };
  },
  compare(answer, expected, { tolerance }) {
    const wanted = parseJsonText(expected);
    if ('fault' in wanted) throw new TypeError('rows are checked before they are scored');
    const actual = parseJsonText(answer);
    if ('fault' in actual) return { passed: false, reason: `the answer is no JSON: ${actual.fault}` };
    const difference = firstDifference(actual.value, wanted.value, tolerance);
    return difference === null
      ? { passed: true, reason: 'equals the expected JSON' }
      : { passed: false, reason: `differs from the expected JSON at ${shorten(difference)}` };
  },
};
