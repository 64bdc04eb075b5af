import { expect, it } from 'vitest';
import { disagreements } from '../../../src/core/judging/disagreement.ts';
import { scored } from '../../../src/core/schemas/score.ts';

const vote = (label: string | null, value: number | null, error: string | null = null) => ({
  judge: 'j',
  label,
  value,
  error,
});

it.each([
  { name: 'one judge', votes: [], differ: false },
  { name: 'the same label', votes: [vote('pass', 1), vote('pass', 1)], differ: false },
  { name: 'other labels', votes: [vote('pass', 1), vote('fail', 0)], differ: true },
  { name: 'numbers close by', votes: [vote(null, 0.8), vote(null, 0.7)], differ: false },
  { name: 'numbers far apart', votes: [vote(null, 0.9), vote(null, 0.5)], differ: true },
  { name: 'one for whom it does not apply', votes: [vote(null, 0.9), vote(null, null)], differ: true },
  { name: 'a juror who failed has no opinion', votes: [vote('pass', 1), vote(null, null, 'throttled')], differ: false },
])('$name: $differ', ({ votes, differ }) => {
  expect(disagreements({ a: scored(1, 'r', { votes }) })).toEqual(differ ? ['a'] : []);
});
