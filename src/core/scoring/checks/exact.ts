import * as z from 'zod';
import { foldText } from './fold.ts';
import { shorten } from './shorten.ts';
import type { TextCheck } from './text-check.ts';

/** The whole answer is the expected text, both trimmed and folded alike. A final full stop counts. */
export const exactCheck: TextCheck = {
  name: 'exact',
  options: z.strictObject({}),
  compare(answer, expected, _options, { textMatch }) {
    const passed = foldText(answer, textMatch).trim() === foldText(expected, textMatch).trim();
    return { passed, reason: passed ? `equals ${shorten(expected)}` : `is not ${shorten(expected)}` };
  },
};
