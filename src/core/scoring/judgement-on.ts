import type { JudgeQuestion } from '../judging/question.ts';
import type { Judgement } from './eval-scoring.ts';

/** The judgement of the question that asks about `name`; undefined when none does. */
export function judgementOn(
  name: string,
  questions: readonly JudgeQuestion[],
  judgements: readonly Judgement[],
): Judgement | undefined {
  return judgements[questions.findIndex(({ asks }) => asks.some((ask) => ask.name === name))];
}
