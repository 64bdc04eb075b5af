import type { JudgeQuestion } from '../judging/question.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import { JUDGE } from './assert-scoring.ts';
import { isRubricScorer } from './rubric-scorer.ts';

/** The prompts that an eval's rows may be judged by; none without a judge. */
export function judgedPrompts(config: EvalConfig): readonly JudgeQuestion['promptId'][] {
  if (config.judges.length === 0) return [];
  const prompts: JudgeQuestion['promptId'][] = [];
  const { type } = config;
  if ((type === 'qa' || type === 'instruction') && config.scorers.some(({ check }) => check === JUDGE))
    prompts.push(type);
  if (type === 'rag' || type === 'agent') prompts.push(type);
  if ((type === 'metrics' || type === 'rag') && config.metrics.some((metric) => metric !== 'latency')) {
    prompts.push('metrics');
  }
  if (config.scorers.some(isRubricScorer)) prompts.push('rubric');
  return prompts;
}
