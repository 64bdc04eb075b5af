import type { Calibration } from '../schemas/calibration.ts';

/** With fewer labels of either kind the rates are guesses. */
const FEW_LABELS = 30;
/** With fewer of either kind a judge may not gate where it must be calibrated. */
export const VERY_FEW_LABELS = 10;
const GOOD_RATE = 0.9;

/** What a judge with these figures is good for. A rule of thumb, said in words; the gate goes by numbers that a person sets. */
export function suggestUse({ kappa, tpr, tnr }: Pick<Calibration, 'kappa' | 'tpr' | 'tnr'>): Calibration['suggestion'] {
  const short = [...(tpr.n < FEW_LABELS ? [`${tpr.n} good`] : []), ...(tnr.n < FEW_LABELS ? [`${tnr.n} bad`] : [])];
  if (tpr.rate === null || tnr.rate === null || kappa === null) {
    return { use: 'none', text: 'nothing can be said: label answers that are good and answers that are bad' };
  }
  if (tpr.n < VERY_FEW_LABELS || tnr.n < VERY_FEW_LABELS) {
    const text = `nothing can be said yet: ${short.join(' and ')} answers are too few labels (${FEW_LABELS} of each to start)`;
    return { use: 'none', text };
  }
  if (kappa <= 0.2 || tpr.rate + tnr.rate <= 1.1) {
    return { use: 'none', text: 'do not use it: it hardly agrees with people more than chance would' };
  }
  if (short.length > 0) {
    const text = `to find rows worth a look: ${short.join(' and ')} answers are too few labels to gate by (${FEW_LABELS} of each to start, 100 to be sure)`;
    return { use: 'review', text };
  }
  if (kappa >= 0.6 && tpr.rate >= GOOD_RATE && tnr.rate >= GOOD_RATE) {
    return { use: 'gate', text: 'to gate: it passes what people pass and fails what they fail' };
  }
  if (kappa >= 0.4) {
    const weak = tpr.rate < tnr.rate ? 'fails good answers' : 'passes bad answers';
    return { use: 'corrected', text: `to gate with room: it ${weak}, so read the corrected pass rate beside its own` };
  }
  return { use: 'review', text: 'to find rows worth a look, not to gate: it agrees with people only fairly' };
}

/** Why it can stand for nothing; null where it can. It would replace one that can. */
export function whyUseless({ labels, tpr, tnr }: Pick<Calibration, 'labels' | 'tpr' | 'tnr'>): string | null {
  if (labels === 0) return 'no answer has both a human label and a verdict of the judge';
  if (tpr.n > 0 && tnr.n > 0) return null;
  const [is, lacks] = tpr.n === 0 ? ['failed', 'good'] : ['passed', 'bad'];
  return `people ${is} every labelled answer: without ${lacks} ones nothing shows whether the judge tells them apart`;
}
