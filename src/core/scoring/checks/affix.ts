import type * as z from 'zod';
import { foldText, rulesFor, TextOptionsSchema, type TextRules } from './fold.ts';
import { standsAlone } from './occurrences.ts';
import { shorten } from './shorten.ts';
import type { TextCheck } from './text-check.ts';

type TextOptions = z.infer<typeof TextOptionsSchema>;

/** The answer begins with the expected text, both trimmed and folded as for `contains`. */
export const startsWithCheck: TextCheck<TextOptions> = affixCheck(
  'starts-with',
  'starts with',
  (text, affix, rules) => {
    if (!text.startsWith(affix)) return false;
    return !rules.wordBoundary || standsAlone(text, 0, affix.length);
  },
);

/** The answer ends with the expected text, both trimmed and folded as for `contains`. A final full stop counts. */
export const endsWithCheck: TextCheck<TextOptions> = affixCheck('ends-with', 'ends with', (text, affix, rules) => {
  if (!text.endsWith(affix)) return false;
  return !rules.wordBoundary || standsAlone(text, text.length - affix.length, text.length);
});

function affixCheck(
  name: string,
  verb: string,
  holds: (text: string, affix: string, rules: TextRules) => boolean,
): TextCheck<TextOptions> {
  return {
    name,
    options: TextOptionsSchema,
    compare(answer, expected, options, evalRules) {
      const rules = rulesFor(options, evalRules);
      const affix = foldText(expected, rules.textMatch).trim();
      if (affix === '') return { passed: false, isError: true, reason: 'the expected text is blank' };
      const passed = holds(foldText(answer, rules.textMatch).trim(), affix, rules);
      return { passed, reason: `${passed ? verb : `does not ${verb.replace(/s /, ' ')}`} ${shorten(expected)}` };
    },
  };
}
