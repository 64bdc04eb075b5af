import { nearestName } from '../../nearest.ts';
import { containsCheck } from './contains.ts';
import { exactCheck } from './exact.ts';
import { numericCheck } from './numeric.ts';
import { regexCheck } from './regex.ts';
import type { TextCheck } from './text-check.ts';

// A further check is one file and one line here.
const CHECKS: readonly TextCheck[] = [containsCheck, exactCheck, regexCheck, numericCheck as TextCheck];

const byName: ReadonlyMap<string, TextCheck> = new Map(CHECKS.map((check) => [check.name, check]));

export function findCheck(name: string): TextCheck | undefined {
  return byName.get(name);
}

/** How to mend an unknown name: the nearest known one, or all. */
export function suggestCheck(name: string, alsoKnown: readonly string[] = []): string {
  const known = [...byName.keys(), ...alsoKnown];
  const nearest = nearestName(name, known);
  return nearest === undefined ? `known: ${known.join(', ')}` : `did you mean "${nearest}"?`;
}
