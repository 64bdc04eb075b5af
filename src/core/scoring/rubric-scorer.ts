import type { EvalConfig, ScorerSpec } from '../schemas/eval.ts';

export const JUDGE_RUBRIC = 'judge-rubric';
export const NOT_JUDGE_RUBRIC = `not-${JUDGE_RUBRIC}`;

export function isRubricScorer({ check }: ScorerSpec): boolean {
  return check === JUDGE_RUBRIC || check === NOT_JUDGE_RUBRIC;
}

/** What of the rubric scorers decides a verdict, for the judge hash; empty when there are none. */
export function rubricSettings(config: EvalConfig): ScorerSpec['options'][] {
  return config.scorers.filter(isRubricScorer).map((spec) => spec.options);
}
