import type { Fault } from '../errors.ts';
import { furtherAsks, qualityAsk } from '../judging/prompts/qualities.ts';
import type { JudgeQuestion } from '../judging/question.ts';
import type { Answer } from '../schemas/answer.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import type { Row } from '../schemas/row.ts';
import { type Score, scored } from '../schemas/score.ts';
import { finalAnswerOf } from '../template/answer-parts.ts';
import { checkScore } from './assert-scoring.ts';
import { expectedFaults, expectedText } from './checks/run-check.ts';
import { meanScore } from './composite.ts';
import type { AnsweredRow } from './eval-scoring.ts';
import { rubricOf } from './rubric-of.ts';

/** Sub-metrics whose mean is the answer score when a judge compares, one call each. */
const QUALITIES = ['correctness', 'completeness', 'helpfulness'] as const;

export const FELL_BACK = 'llm_judge fell back to contains: no judge is configured';

type Plan =
  | { readonly how: 'unchecked' }
  | { readonly how: 'missing' }
  | { readonly how: 'judge' }
  | { readonly how: 'text'; readonly check: 'contains' | 'exact' | 'regex'; readonly fellBack: boolean };

export interface AnswerScoring {
  readonly score: Score;
  readonly parts: readonly (readonly [name: string, score: Score])[];
  readonly fellBack: boolean;
}

/** The judge calls that compare the final answer. */
export function answerQuestions(answered: AnsweredRow, config: EvalConfig): readonly JudgeQuestion[] {
  if (planOf(answered, config).how !== 'judge') return [];
  const { row } = answered;
  const base = {
    promptId: 'agent',
    input: row.input,
    expected: expectedText(row.expected) === null ? null : row.expected,
    answer: finalAnswer(answered.answer) ?? '',
    contexts: null,
    rubric: rubricOf(row, config),
  } as const;
  const single = QUALITIES.map((quality) => [qualityAsk(`answer.${quality}`, quality, config.judge_scales)]);
  const further = furtherAsks(config.judge_scales);
  return [...single, ...(further.length > 0 ? [further] : [])].map((asks) => ({ ...base, asks }));
}

/** `answer_score` and its sub-metrics. `judged` gives the judge's score on an ask. */
export function scoreAnswer(answered: AnsweredRow, config: EvalConfig, judged: (name: string) => Score): AnswerScoring {
  const plan = planOf(answered, config);
  const alone = (score: Score, fellBack = false): AnswerScoring => ({ score, parts: [], fellBack });
  switch (plan.how) {
    case 'unchecked':
      return alone(scored(1, 'not checked: the row expects no answer'));
    case 'missing':
      return alone(scored(0, 'no final answer'));
    case 'text': {
      const spec = { name: plan.check, check: plan.check, options: {} };
      const score = checkScore(spec, finalAnswer(answered.answer) ?? '', answered.row, config);
      const reason = plan.fellBack ? `${score.reason} (${FELL_BACK})` : score.reason;
      return alone({ ...score, reason }, plan.fellBack);
    }
    case 'judge': {
      const parts = QUALITIES.map((quality) => [`answer.${quality}`, judged(`answer.${quality}`)] as const);
      const further = furtherAsks(config.judge_scales).map(({ name }) => [name, judged(name)] as const);
      return { score: meanScore('answer_score', parts), parts: [...parts, ...further], fellBack: false };
    }
  }
}

/** What a row lacks for comparing its answer. */
export function answerFaults(row: Row, config: EvalConfig): readonly Fault[] {
  const match = row.checks.answer_match ?? 'contains';
  if (expectedText(row.expected) !== null) {
    return match === 'llm_judge' ? [] : expectedFaults({ name: match, check: match, options: {} }, row);
  }
  if (match !== 'llm_judge' || rubricOf(row, config) === null || config.judges.length > 0) return [];
  const message = `row "${row.id}" is to be judged on its rubric and there is no judge`;
  return [{ field: 'checks.answer_match', message, fix: 'add judge: {model: …}, or give an expected answer' }];
}

/** Whether the answer of the row is compared with anything at all. */
export function isAnswerChecked(answered: AnsweredRow, config: EvalConfig): boolean {
  return planOf(answered, config).how !== 'unchecked';
}

function planOf({ row, answer }: AnsweredRow, config: EvalConfig): Plan {
  const match = row.checks.answer_match ?? 'contains';
  const hasExpected = expectedText(row.expected) !== null;
  const onRubric = match === 'llm_judge' && rubricOf(row, config) !== null;
  if (!hasExpected && !onRubric) return { how: 'unchecked' };
  if (finalAnswer(answer) === undefined) return { how: 'missing' };
  if (match !== 'llm_judge') return { how: 'text', check: match, fellBack: false };
  return config.judges.length > 0 ? { how: 'judge' } : { how: 'text', check: 'contains', fellBack: true };
}

/**
 * What the agent answered in the end: the target's answer, or else what its trajectory ends with. Undefined when there
 * is none; an empty answer is an answer.
 */
export function finalAnswer({ text, trajectory }: Answer): string | undefined {
  if (text !== '' || trajectory === undefined) return text;
  return finalAnswerOf(trajectory);
}
