import * as z from 'zod';
import { parseDecimal, toNumber } from './decimal.ts';
import { shorten } from './shorten.ts';
import type { TextCheck } from './text-check.ts';

const NumericOptionsSchema = z.strictObject({
  /** Largest difference that still passes, in the unit of the numbers. Absent: equal, digit for digit. */
  tolerance: z.number().nonnegative().optional(),
});
type NumericOptions = z.infer<typeof NumericOptionsSchema>;

/** Doubles are off by this share of the larger number: 1.1 − 1 is within 0.1. */
const DOUBLE_ERROR = 1e-12;

/**
 * The answer is the expected number, however it is written. It must be wholly a number: `extract` finds the number in
 * a sentence. A unit on one side only is ignored (`60%` is 60, not 0.6); two different units are not equal.
 */
export const numericCheck: TextCheck<NumericOptions> = {
  name: 'numeric',
  options: NumericOptionsSchema,
  faultOfExpected(expected) {
    if (parseDecimal(expected) !== null) return null;
    const message = `the expected ${shorten(expected)} is no number`;
    return { message, fix: 'write a number such as 1,234.50, or add extract: to the check' };
  },
  compare(answer, expected, { tolerance }) {
    const actual = parseDecimal(answer);
    const wanted = parseDecimal(expected);
    if (wanted === null) throw new TypeError('rows are checked before they are scored');
    if (actual === null) return { passed: false, reason: `${shorten(answer)} is no number` };
    if (actual.unit !== null && wanted.unit !== null && actual.unit !== wanted.unit) {
      return { passed: false, reason: `${shorten(answer)} has another unit than ${shorten(expected)}` };
    }
    const equal = actual.digits === wanted.digits && actual.exponent === wanted.exponent;
    if (equal) return { passed: true, reason: `equals ${shorten(expected)}` };
    if (tolerance === undefined) return { passed: false, reason: `${shorten(answer)} is not ${shorten(expected)}` };

    const [a, b] = [toNumber(actual), toNumber(wanted)];
    const passed = Math.abs(a - b) <= tolerance + DOUBLE_ERROR * Math.max(Math.abs(a), Math.abs(b));
    const reason = `${shorten(answer)} is ${passed ? 'within' : 'not within'} ${tolerance} of ${shorten(expected)}`;
    return { passed, reason };
  },
};
