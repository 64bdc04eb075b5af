import type { RowChecks } from '../schemas/row.ts';
import type { Score } from '../schemas/score.ts';
import type { RagGate, Thresholds } from '../schemas/thresholds.ts';
import { compositeOf, type WeighedPart } from './composite.ts';
import { isShort, minimumOf, UNVERIFIED } from './row-minimum.ts';

export const CONTAINS_SCORE = 'contains_score';
export const ANSWER_CORRECTNESS_SCORE = 'answer_correctness_score';
export const FAITHFULNESS_SCORE = 'faithfulness_score';

type Scores = Readonly<Record<string, Score>>;

/** The row gate of a RAG eval, defaults filled in (SCORING §4). */
export function ragGateOf(thresholds: Thresholds): RagGate {
  const { min_answer_correctness_score, min_faithfulness_score } = thresholds;
  return {
    require_contains: thresholds.require_contains ?? true,
    min_answer_correctness_score: min_answer_correctness_score === undefined ? 0.5 : min_answer_correctness_score,
    min_faithfulness_score: min_faithfulness_score ?? null,
    faithfulness_weight: thresholds.faithfulness_weight ?? 0.5,
    answer_correctness_weight: thresholds.answer_correctness_weight ?? 0.5,
  };
}

/** Names of the switches that a row's scores do not satisfy. Needs scores only, so stored ones can be decided again. */
export function ragGateFailures(scores: Scores, gate: RagGate, checks: RowChecks): readonly string[] {
  const failed: string[] = [];
  const contains = scores[CONTAINS_SCORE]?.value ?? 0;
  if ((checks.require_contains ?? gate.require_contains) && contains < 1) failed.push('require_contains');
  for (const name of [ANSWER_CORRECTNESS_SCORE, FAITHFULNESS_SCORE] as const) {
    const minimum = `min_${name}` as const;
    if (isShort(scores[name], minimumOf(minimum, checks, gate[minimum]))) failed.push(minimum);
  }
  return failed;
}

/** The row score from its signals. Nobody verified faithfulness: it must not lift the score, so correctness stands alone. */
export function ragComposite(scores: Scores, gate: RagGate): Score {
  const parts: WeighedPart[] = [];
  const correctness = scores[ANSWER_CORRECTNESS_SCORE];
  const faithfulness = scores[FAITHFULNESS_SCORE];
  if (faithfulness !== undefined && faithfulness.raw_label !== UNVERIFIED) {
    parts.push({ name: FAITHFULNESS_SCORE, score: faithfulness, weight: gate.faithfulness_weight });
  }
  if (correctness !== undefined) {
    const weight = parts.length === 0 ? 1 : gate.answer_correctness_weight;
    parts.push({ name: ANSWER_CORRECTNESS_SCORE, score: correctness, weight });
  }
  return compositeOf(parts);
}
