import { diffWordsWithSpace } from 'diff';

/** A stretch of a text; `changed`: the other text has not got it. */
export interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

export interface WordDiff {
  readonly before: readonly DiffPart[];
  readonly after: readonly DiffPart[];
}

/**
 * Words to take out or put in before giving up: the effort grows with its square, not with the length of the texts, and
 * texts further apart than this are read rather than compared.
 */
const MOST_EDITS = 600;

/** Which words of two texts differ; null where they have too little in common to mark anything. Needs no clock: the same texts give the same parts. */
export function diffWords(before: string, after: string): WordDiff | null {
  if (before === after) return { before: [{ text: before, changed: false }], after: [{ text: after, changed: false }] };
  const changes = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS });
  if (changes === undefined) return null;
  const common = changes.filter(({ added, removed }) => !added && !removed);
  const shared = common.reduce((length, { value }) => length + value.trim().length, 0);
  // Two sentences that share "the" and "is" are another answer, not a changed one.
  if (shared * 5 < Math.min(before.length, after.length)) return null;
  return {
    before: changes.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, changed: removed })),
    after: changes.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, changed: added })),
  };
}
