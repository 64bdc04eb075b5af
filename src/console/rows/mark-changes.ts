import { diffWordsWithSpace } from 'diff';
import { visibleText } from '../../report/visible-text.ts';

export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Beyond this the texts are shown apart: a comparison of long texts takes too long, and tells nobody anything. */
const MOST_CHARACTERS = 6_000;
const MOST_EDITS = 400;

/** Both texts in pieces, those marked that the other has not; null where there is nothing to mark or too much of it. */
export function markChanges(before: string, after: string): { before: Piece[]; after: Piece[] } | null {
  if (before === '' || after === '' || before === after) return null;
  if (before.length > MOST_CHARACTERS || after.length > MOST_CHARACTERS) return null;
  const changes = diffWordsWithSpace(visibleText(before), visibleText(after), { maxEditLength: MOST_EDITS });
  if (changes === undefined) return null;
  const side = (other: 'added' | 'removed', own: 'added' | 'removed') =>
    changes.filter((change) => !change[other]).map((change) => ({ text: change.value, isChanged: change[own] }));
  return { before: side('added', 'removed'), after: side('removed', 'added') };
}
