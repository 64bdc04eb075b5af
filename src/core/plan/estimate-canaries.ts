import { CANARIES, canaryQuestion } from '../judging/canaries.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import { judgedPrompts } from '../scoring/judged-prompts.ts';
import { estimateQuestion, judgeEstimate, type TokenEstimate } from './estimate-row.ts';

/** What the planted answers take that go to every judge before the first row, once a run. */
export interface CanaryEstimate {
  readonly calls: number;
  /** By judge position; null where it is no model. */
  readonly judges: readonly (TokenEstimate | null)[];
}

/** `isPlanted`: whether this judge is sent any. */
export function estimateCanaries(
  config: EvalConfig,
  isPlanted: (judge: EvalConfig['judges'][number]) => boolean,
): CanaryEstimate {
  const asked = judgedPrompts(config).flatMap((promptId) =>
    CANARIES.map((canary) => estimateQuestion(canaryQuestion(canary, promptId, config.judge_scales), canary.name)),
  );
  return {
    calls: config.judges.filter(isPlanted).length * asked.length,
    judges: config.judges.map((judge) => judgeEstimate(judge, isPlanted(judge) ? asked : [])),
  };
}
