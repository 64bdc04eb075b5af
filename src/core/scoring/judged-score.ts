import type { Score } from '../schemas/score.ts';
import { scored, unscored } from '../schemas/score.ts';
import type { Judgement } from './eval-scoring.ts';

/** What the judge said about one ask, as a score. A judge that failed leaves it unscored, never 0. */
export function judgedScore(name: string, judgement: Judgement | undefined): Score {
  if (judgement === undefined) return unscored('judge-unavailable', 'the judge was not asked');
  if (judgement.status === 'judge_error') {
    const cause = judgement.cause === 'unparsable' ? 'judge-unparsable' : 'judge-unavailable';
    return unscored(cause, judgement.message);
  }
  const verdict = judgement.verdicts.get(name);
  if (verdict === undefined) return unscored('judge-unparsable', `the verdict says nothing about ${name}`);
  const extras = {
    raw_label: verdict.rawLabel,
    raw_score: verdict.rawScore,
    scale: verdict.scale === null ? null : ([...verdict.scale] as [number, number]),
    higher_is_better: verdict.higherIsBetter,
    votes: [...(judgement.votes.get(name) ?? [])],
    repaired: judgement.repaired,
    cached: judgement.cached,
    ...(verdict.claims && { claims: [...verdict.claims] }),
    ...(verdict.relevant && { relevant: [...verdict.relevant] }),
  };
  return verdict.value === null
    ? unscored('not-applicable', verdict.reason, extras)
    : scored(verdict.value, verdict.reason, extras);
}
