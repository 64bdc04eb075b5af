import { type Score, scored, unscored } from '../schemas/score.ts';

/** 1 − (steps − 1) ÷ (maxSteps − 1) within 0..1: one step is best, all of them is 0. 1 without a maximum. */
export function efficiencyOf(steps: number, maxSteps: number | undefined): number {
  if (maxSteps === undefined) return 1;
  if (maxSteps <= 1) return steps <= 1 ? 1 : 0;
  return Math.min(1, Math.max(0, 1 - (steps - 1) / (maxSteps - 1)));
}

/** `efficiency_score`; `steps` null: nobody knows how many there were. */
export function scoreEfficiency(steps: number | null, maxSteps: number | undefined): Score {
  if (maxSteps === undefined)
    return scored(1, `${steps === null ? 'unknown' : steps} steps, no max_steps to measure by`);
  if (steps === null) return unscored('not-applicable', 'the target gave no trajectory: its steps are unknown');
  return scored(efficiencyOf(steps, maxSteps), `${steps} steps of at most ${maxSteps}`, { raw_score: steps });
}
