import type { Score } from '../schemas/score.ts';
import { scored, unscored } from '../schemas/score.ts';
import { goodness } from './row-outcome.ts';

/** Name of the score that is the row's score where the type weighs several (rag, agent). */
export const COMPOSITE = 'composite_score';

export interface WeighedPart {
  readonly name: string;
  readonly score: Score;
  /** ≥ 0; 0 leaves the part out. */
  readonly weight: number;
}

/**
 * Σwᵢsᵢ ÷ Σwᵢ over the parts that apply. A part that could not be judged leaves the whole unscored; so does a sum of
 * weights of 0, which means that nothing applies.
 */
export function compositeOf(parts: readonly WeighedPart[]): Score {
  const failed = parts.find(({ score }) => isFailed(score));
  if (failed !== undefined) return failureOf(failed.name, failed.score);
  const applying = parts.filter(({ score, weight }) => score.status === 'scored' && weight > 0);
  // Divided by the largest first, so that huge weights do not add up to infinity.
  const largest = Math.max(0, ...applying.map(({ weight }) => weight));
  let sum = 0;
  let weights = 0;
  for (const { score, weight } of applying) {
    if (score.status !== 'scored') continue;
    sum += goodness(score) * (weight / largest);
    weights += weight / largest;
  }
  if (weights === 0) return unscored('not-applicable', 'nothing that has a weight applies to this row');
  const terms = applying.map(({ name, weight }) => `${trim(weight / largest / weights)} × ${name}`);
  return scored(Math.min(1, sum / weights), terms.join(' + '));
}

/** Plain mean of sub-metrics as the score they stand for; they are stored beside it and enter nothing else. */
export function meanScore(name: string, parts: readonly (readonly [string, Score])[]): Score {
  const failed = parts.find(([, score]) => isFailed(score));
  if (failed !== undefined) return failureOf(failed[0], failed[1]);
  const values = parts.flatMap(([, score]) => (score.status === 'scored' ? [goodness(score)] : []));
  if (values.length === 0) return unscored('not-applicable', `no part of ${name} applies`);
  const reason = parts.map(([part, score]) => `${part}: ${score.raw_label ?? score.value ?? 'does not apply'}`);
  return scored(values.reduce((sum, value) => sum + value, 0) / values.length, reason.join(', '));
}

/** The same score, stored beside the row score and not in its mean. */
export function aside(score: Score): Score {
  return { ...score, in_row_score: false };
}

function isFailed(score: Score): boolean {
  return score.status === 'unscored' && score.cause !== 'not-applicable';
}

function failureOf(name: string, score: Score): Score {
  return unscored(score.cause ?? 'judge-unavailable', `${name}: ${score.reason}`);
}

function trim(weight: number): string {
  return String(Math.round(weight * 1000) / 1000);
}
