import type { TextRules } from './checks/fold.ts';
import { foldText } from './checks/fold.ts';
import { occurrences, standsAlone } from './checks/occurrences.ts';

/**
 * Labels that an answer names. A label that stands only inside a longer one (`spam` in `not spam`) is not named.
 * Labels come folded and without repeats.
 */
export function namedLabels(answer: string, labels: readonly string[], rules: TextRules): readonly string[] {
  const text = foldText(answer, rules.textMatch);
  const longestFirst = [...labels].sort((a, b) => b.length - a.length);
  const taken: { start: number; end: number }[] = [];
  const named = new Set<string>();
  for (const label of longestFirst) {
    for (const start of occurrences(text, label)) {
      const end = start + label.length;
      if (rules.wordBoundary && !standsAlone(text, start, end)) continue;
      if (taken.some((range) => range.start <= start && end <= range.end && range.end - range.start > label.length)) {
        continue;
      }
      taken.push({ start, end });
      named.add(label);
    }
  }
  return labels.filter((label) => named.has(label));
}

/** Labels as they are compared: trimmed, folded, each once. */
export function foldLabels(labels: readonly string[], rules: TextRules): readonly string[] {
  return [...new Set(labels.map((label) => foldText(label.trim(), rules.textMatch)))].filter((label) => label !== '');
}
