import type { RowChecks } from '../schemas/row.ts';
import type { Score } from '../schemas/score.ts';
import type { AgentGate, Thresholds } from '../schemas/thresholds.ts';
import { compositeOf } from './composite.ts';
import { isShort, minimumOf } from './row-minimum.ts';

export const DIMENSIONS = ['answer', 'tool', 'efficiency', 'reasoning'] as const;

type Scores = Readonly<Record<string, Score>>;

/** The row gate of an agent eval, defaults filled in (SCORING §5). */
export function agentGateOf(thresholds: Thresholds): AgentGate {
  const { min_answer_score, min_tool_score } = thresholds;
  return {
    min_answer_score: min_answer_score === undefined ? 0.8 : min_answer_score,
    min_tool_score: min_tool_score === undefined ? 1 : min_tool_score,
    min_reasoning_score: thresholds.min_reasoning_score ?? null,
    min_efficiency_score: thresholds.min_efficiency_score ?? null,
    answer_weight: thresholds.answer_weight ?? 0.4,
    tool_weight: thresholds.tool_weight ?? 0.4,
    efficiency_weight: thresholds.efficiency_weight ?? 0.05,
    reasoning_weight: thresholds.reasoning_weight ?? 0.15,
  };
}

/** Names of the minima that a row's scores do not reach. Needs scores only, so stored ones can be decided again. */
export function agentGateFailures(scores: Scores, gate: AgentGate, checks: RowChecks): readonly string[] {
  return DIMENSIONS.flatMap((dimension) => {
    const minimum = `min_${dimension}_score` as const;
    return isShort(scores[`${dimension}_score`], minimumOf(minimum, checks, gate[minimum])) ? [minimum] : [];
  });
}

/** The row score from its dimensions; those that do not apply leave their weight to the others. */
export function agentComposite(scores: Scores, gate: AgentGate): Score {
  return compositeOf(
    DIMENSIONS.flatMap((dimension) => {
      const name = `${dimension}_score`;
      const score = scores[name];
      return score === undefined ? [] : [{ name, score, weight: gate[`${dimension}_weight`] }];
    }),
  );
}
