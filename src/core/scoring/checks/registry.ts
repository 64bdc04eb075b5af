import { nearestName } from '../../nearest.ts';
import { endsWithCheck, startsWithCheck } from './affix.ts';
import { containsCheck } from './contains.ts';
import { containsAllCheck, containsAnyCheck } from './contains-list.ts';
import { equalsJsonCheck } from './equals-json.ts';
import { exactCheck } from './exact.ts';
import { isJsonCheck } from './is-json.ts';
import { javascriptCheck } from './javascript.ts';
import { levenshteinCheck } from './levenshtein.ts';
import { costCheck, latencyCheck } from './limits.ts';
import { NOT, negatedCheck } from './negated.ts';
import { numericCheck } from './numeric.ts';
import { regexCheck } from './regex.ts';
import { rougeLCheck, rougeNCheck } from './rouge.ts';
import type { TextCheck } from './text-check.ts';

// A further check is one file and one line here; its negation comes by itself.
const CHECKS = [
  containsCheck,
  exactCheck,
  regexCheck,
  numericCheck,
  startsWithCheck,
  endsWithCheck,
  containsAllCheck,
  containsAnyCheck,
  equalsJsonCheck,
  isJsonCheck,
  levenshteinCheck,
  rougeLCheck,
  rougeNCheck,
  latencyCheck,
  costCheck,
  javascriptCheck,
] as readonly TextCheck[];

const byName: ReadonlyMap<string, TextCheck> = new Map(
  CHECKS.flatMap((check) => [check, negatedCheck(check)]).map((check) => [check.name, check]),
);

/** A check by its name; `not-` before the name is its negation. */
export function findCheck(name: string): TextCheck | undefined {
  return byName.get(name);
}

/** Names of all checks, negations left out. */
export const CHECK_NAMES: readonly string[] = CHECKS.map((check) => check.name);

/** How to mend an unknown name: the nearest known one, or all. */
export function suggestCheck(name: string, alsoKnown: readonly string[] = []): string {
  const nearest = nearestName(name, [...byName.keys(), ...alsoKnown]);
  const known = [...CHECK_NAMES, ...alsoKnown].join(', ');
  return nearest === undefined ? `known: ${known}, each also with ${NOT} before it` : `did you mean "${nearest}"?`;
}
