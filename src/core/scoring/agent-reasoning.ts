import { agentStepsText } from '../judging/agent-steps.ts';
import { qualityAsk, type ScaleSet } from '../judging/prompts/qualities.ts';
import type { JudgeAsk, JudgeQuestion } from '../judging/question.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import { type Score, unscored } from '../schemas/score.ts';
import { finalAnswer } from './agent-answer.ts';
import { meanScore } from './composite.ts';
import type { AnsweredRow } from './eval-scoring.ts';

export interface ReasoningScoring {
  readonly score: Score;
  readonly parts: readonly (readonly [name: string, score: Score])[];
  /** Of the steps, what the judge did not see; null when it saw everything. */
  readonly cut: string | null;
}

/** The two judge calls on the steps; none where there are no steps. */
export function reasoningQuestions(answered: AnsweredRow, config: EvalConfig): readonly JudgeQuestion[] {
  const { row, answer } = answered;
  if (config.judges.length === 0 || !hasSteps(answered) || answer.trajectory === undefined) return [];
  const { text } = agentStepsText(answer.trajectory);
  return reasoningAsks(config.judge_scales).map((ask) => ({
    promptId: 'agent',
    asks: [ask],
    input: row.input,
    expected: null,
    answer: finalAnswer(answer) ?? '',
    contexts: null,
    rubric: null,
    steps: text,
  }));
}

/** `reasoning_score` and its sub-metrics; null where no judge is configured, so that the dimension is not scored. */
export function scoreReasoning(
  answered: AnsweredRow,
  config: EvalConfig,
  judged: (name: string) => Score,
): ReasoningScoring | null {
  const { trajectory } = answered.answer;
  if (config.judges.length === 0) return null;
  if (!hasSteps(answered) || trajectory === undefined) {
    const why = trajectory === undefined ? 'the target gave no trajectory' : 'the trajectory has no steps';
    return { score: unscored('not-applicable', `${why}: there is no reasoning to judge`), parts: [], cut: null };
  }
  const parts = reasoningAsks(config.judge_scales).map(({ name }) => [name, judged(name)] as const);
  return { score: meanScore('reasoning_score', parts), parts, cut: agentStepsText(trajectory).cut };
}

function reasoningAsks(scales: ScaleSet): readonly JudgeAsk[] {
  return [
    qualityAsk('reasoning.faithfulness', 'faithfulness', scales, FAITHFULNESS),
    qualityAsk('reasoning.logical_coherence', 'logical_coherence', scales),
  ];
}

const FAITHFULNESS =
  'How much of what the agent states in its thoughts and its final answer is supported by the task and by the results of its tools? A fact that is in neither is made up and unsupported.';

function hasSteps({ answer }: AnsweredRow): boolean {
  return (answer.trajectory?.steps.length ?? 0) > 0;
}
