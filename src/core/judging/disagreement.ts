import type { Score } from '../schemas/score.ts';

/** Numbers that lie further apart than this are no rounding of one opinion. */
const NOTABLE = 0.2;

/** Names of the scores on which the judges of a jury differ: other labels, or numbers far apart. */
export function disagreements(scores: Readonly<Record<string, Score>>): readonly string[] {
  return Object.entries(scores)
    .filter(([, { votes }]) => differ(votes.filter(({ error }) => error === null)))
    .map(([name]) => name);
}

function differ(votes: Score['votes']): boolean {
  if (new Set(votes.map(({ label }) => label)).size > 1) return true;
  const values = votes.flatMap(({ value }) => (value === null ? [] : [value]));
  const someAbstain = values.length > 0 && values.length < votes.length;
  return someAbstain || (votes[0]?.label === null && Math.max(...values) - Math.min(...values) > NOTABLE);
}
