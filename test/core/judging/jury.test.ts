import { describe, expect, it } from 'vitest';
import { type Ballot, combineJury } from '../../../src/core/judging/jury.ts';
import type { JudgeQuestion } from '../../../src/core/judging/question.ts';
import { readVerdicts } from '../../../src/core/judging/read-verdicts.ts';
import { correctnessLabel, question, scoreAsk, toolReply } from './questions.ts';

const scores = question([scoreAsk('correctness')]);
const labels = question([correctnessLabel]);
const claims = question([{ kind: 'claims', name: 'correctness', definition: '', of: 'answer' }]);

function ballots(asked: JudgeQuestion, rulings: readonly (object | null)[]): Ballot[] {
  return rulings.map((ruling, index) => {
    const judge = `j${index + 1}`;
    if (ruling === null) return { judge, judgement: { status: 'judge_error', cause: 'throttled', message: 'busy' } };
    const reading = readVerdicts(toolReply({ correctness: { reason: 'r', ...ruling } }), asked, '');
    if (!reading.ok) throw new Error(reading.fault);
    const { verdicts } = reading;
    return { judge, judgement: { status: 'judged', verdicts, repaired: false, cached: false, votes: new Map() } };
  });
}
const combined = (asked: JudgeQuestion, rulings: readonly (object | null)[]) => {
  const judgement = combineJury(ballots(asked, rulings), asked);
  return judgement.status === 'judged' ? judgement.verdicts.get('correctness')?.value : judgement.cause;
};
const score = (value: number) => ({ score: value });
const label = (text: string) => ({ label: text });

describe('a jury', () => {
  it.each([
    { name: 'takes the median of three', asked: scores, rulings: [0.2, 1, 0.9].map(score), value: 0.9 },
    {
      name: 'takes the mean of the middle two of four',
      asked: scores,
      rulings: [0, 0.25, 0.75, 1].map(score),
      value: 0.5,
    },
    { name: 'leaves a missing juror out', asked: scores, rulings: [score(0.5), null, score(1)], value: 0.75 },
    { name: 'goes on with exactly half', asked: scores, rulings: [score(0.5), null], value: 0.5 },
    { name: 'needs half', asked: scores, rulings: [score(0.5), null, null], value: 'throttled' },
    { name: 'needs someone', asked: scores, rulings: [null, null], value: 'throttled' },
    {
      name: 'takes the label of most',
      asked: labels,
      rulings: ['correct', 'incorrect', 'correct'].map(label),
      value: 1,
    },
    {
      name: 'has no verdict on a tie',
      asked: labels,
      rulings: ['correct', 'incorrect'].map(label),
      value: 'unparsable',
    },
    {
      name: 'has no verdict when all differ',
      asked: labels,
      rulings: ['correct', 'incorrect', 'partially correct'].map(label),
      value: 'unparsable',
    },
    {
      name: 'lets most say that nothing applies',
      asked: claims,
      rulings: [{ claims: [] }, { claims: [] }, { claims: [{ claim: 'c', supported: true }] }],
      value: null,
    },
    {
      name: 'has no verdict when half say that nothing applies',
      asked: claims,
      rulings: [{ claims: [] }, { claims: [{ claim: 'c', supported: true }] }],
      value: 'unparsable',
    },
  ])('$name', ({ asked, rulings, value }) => {
    expect(combined(asked, rulings)).toBe(value);
  });

  it('keeps every vote, those of failed jurors too', () => {
    const judgement = combineJury(ballots(labels, [label('correct'), null, label('correct')]), labels);
    expect(judgement.status === 'judged' && judgement.votes.get('correctness')).toEqual([
      { judge: 'j1', value: 1, label: 'correct', error: null },
      { judge: 'j2', value: null, label: null, error: 'busy' },
      { judge: 'j3', value: 1, label: 'correct', error: null },
    ]);
  });

  it('says so when judges differ', () => {
    const judgement = combineJury(ballots(scores, [score(0.5), score(1), score(1)]), scores);
    expect(judgement.status === 'judged' && judgement.verdicts.get('correctness')?.reason).toBe(
      'judges differ (j1 0.5, j2 1, j3 1): r',
    );
  });
});
