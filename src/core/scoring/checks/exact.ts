import type * as z from 'zod';
import { foldText, rulesFor, TextOptionsSchema } from './fold.ts';
import { shorten } from './shorten.ts';
import type { TextCheck } from './text-check.ts';

/** The whole answer is the expected text, both trimmed and folded alike. A final full stop counts. */
export const exactCheck: TextCheck<z.infer<typeof TextOptionsSchema>> = {
  name: 'exact',
  options: TextOptionsSchema,
  compare(answer, expected, options, rules) {
    const { textMatch } = rulesFor(options, rules);
    const passed = foldText(answer, textMatch).trim() === foldText(expected, textMatch).trim();
    return { passed, reason: passed ? `equals ${shorten(expected)}` : `is not ${shorten(expected)}` };
  },
};
