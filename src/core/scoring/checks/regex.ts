import * as z from 'zod';
import { compilePattern } from './pattern.ts';
import { shorten } from './shorten.ts';
import type { TextCheck } from './text-check.ts';

/** The expected text is a pattern found somewhere in the raw answer; case counts unless it says (?i). */
export const regexCheck: TextCheck = {
  name: 'regex',
  options: z.strictObject({}),
  expectedAsWritten: true,
  faultOfExpected(expected) {
    const compiled = compilePattern(expected);
    return compiled.ok ? null : compiled;
  },
  compare(answer, expected) {
    const compiled = compilePattern(expected);
    if (!compiled.ok) throw new TypeError(`${compiled.message}; rows are checked before they are scored`);
    const passed = compiled.pattern.matcher(answer).find();
    return { passed, reason: `${passed ? 'matches' : 'does not match'} ${shorten(expected)}` };
  },
};
