import type * as z from 'zod';
import { type JsonValue, jsonToText } from '../../json.ts';
import { containsText } from './contains.ts';
import { rulesFor, TextOptionsSchema } from './fold.ts';
import { shorten } from './shorten.ts';
import type { TextCheck } from './text-check.ts';

type TextOptions = z.infer<typeof TextOptionsSchema>;

/** Every text of the expected list stands somewhere in the answer. */
export const containsAllCheck: TextCheck<TextOptions> = listCheck('contains-all', (missing, all) => {
  const passed = missing.length === 0;
  return { passed, reason: passed ? `contains all ${all.length}` : `does not contain ${quote(missing)}` };
});

/** At least one text of the expected list stands somewhere in the answer. */
export const containsAnyCheck: TextCheck<TextOptions> = listCheck('contains-any', (missing, all) => {
  const passed = missing.length < all.length;
  const found = all.filter((text) => !missing.includes(text));
  return { passed, reason: passed ? `contains ${quote(found)}` : `contains none of ${quote(all)}` };
});

function listCheck(
  name: string,
  rule: (missing: readonly string[], all: readonly string[]) => { passed: boolean; reason: string },
): TextCheck<TextOptions> {
  return {
    name,
    options: TextOptionsSchema,
    expectedAsWritten: true,
    faultOfExpected(expected) {
      if (readList(expected) !== null) return null;
      const fix = 'write a JSON list such as ["Paris", "Lyon"]';
      return { message: `${name} needs a list of texts, none of them blank, not ${shorten(expected)}`, fix };
    },
    compare(answer, expected, options, rules) {
      const texts = readList(expected);
      if (texts === null) throw new TypeError('rows are checked before they are scored');
      const own = rulesFor(options, rules);
      return rule(
        texts.filter((text) => !containsText(answer, text, own)),
        texts,
      );
    },
  };
}

/** A JSON list of texts or numbers, not empty and none blank; else null. */
function readList(text: string): readonly string[] | null {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
  if (!Array.isArray(value) || value.length === 0) return null;
  const texts = value.map((item) => (item === null || typeof item === 'object' ? '' : jsonToText(item)));
  return texts.some((item) => item.trim() === '') ? null : texts;
}

const quote = (texts: readonly string[]): string => texts.slice(0, 5).map(shorten).join(', ');
