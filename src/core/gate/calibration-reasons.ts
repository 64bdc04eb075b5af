import { VERY_FEW_LABELS } from '../calibration/suggested-use.ts';
import { plural } from '../plural.ts';
import type { RunCalibration } from '../schemas/summary.ts';
import type { RequiredCalibration } from '../schemas/thresholds.ts';
import { bound, cannotDecide, type Reason } from './reasons.ts';
import { showNumber } from './show-against.ts';

const RULE = 'require_calibration';

type Known = Omit<RunCalibration, 'corrected'> & Partial<Pick<RunCalibration, 'corrected'>>;

/**
 * Whether the judge may gate: compared with human labels, not long ago, well enough, and still the judge that was compared.
 * Whatever is missing is an error, never a failure of the target. `calibration` null: there is none.
 */
export function calibrationReasons(required: RequiredCalibration, calibration: Known | null): readonly Reason[] {
  if (calibration === null) {
    const text =
      'the judge was never compared with human labels: run `assay calibrate` first (with --push for a deployed app)';
    return [cannotDecide(RULE, text)];
  }
  const { age_days, corrected, metric } = calibration;
  const age = bound({
    rule: `${RULE}.max_age_days`,
    what: 'age of the judge’s calibration',
    actual: age_days,
    limit: required.max_age_days,
    kind: 'maximum',
    unit: ' days',
    digits: 0,
  });
  const reasons = [
    age_days < 0 ? ahead(age_days) : asError(age, 'run `assay calibrate` again (with --push for a deployed app)'),
    kappaReason(calibration, required.min_kappa),
  ];
  if (corrected?.status === 'judge_drift') reasons.push(driftReason(corrected));
  if (corrected?.status === 'uninformative') {
    reasons.push(cannotDecide(`${RULE}.drift`, 'the judge is no better than chance on the human labels'));
  }
  if (corrected?.status === 'unknown' && corrected.judged === 0) {
    const text = `the judge was compared by the score "${metric}", which no answer of this run has: whether it drifted is not known`;
    reasons.push(cannotDecide(`${RULE}.drift`, text));
  }
  return reasons;
}

/** It would never grow old. */
function ahead(ageDays: number): Reason {
  const text = `the judge’s calibration is dated ${plural(-ageDays, 'day')} after the run began: a clock was wrong, so its age is not known; remove that calibration and run \`assay calibrate\` again`;
  return cannotDecide(`${RULE}.max_age_days`, text, ageDays);
}

function kappaReason({ kappa, labels, labels_good, labels_bad }: Known, limit: number): Reason {
  const rule = `${RULE}.min_kappa`;
  const [good, bad] = [labels_good ?? labels, labels_bad ?? labels];
  if (kappa !== null && Math.min(good, bad) < VERY_FEW_LABELS) {
    const text = `κ of ${good} good and ${bad} bad labelled answers says nothing of the judge: label at least ${VERY_FEW_LABELS} of each (better 30) and run \`assay calibrate\` again`;
    return cannotDecide(rule, text, kappa, limit);
  }
  if (kappa === null) {
    const text = `κ of the judge is undefined over ${labels} labels: they need passes and failures`;
    return cannotDecide(rule, text, null, limit);
  }
  const what = `agreement of the judge with people (κ over ${labels} labels)`;
  return asError(bound({ rule, what, actual: kappa, limit, kind: 'minimum' }), 'mend the judge before it gates');
}

function driftReason({ judged_rate, rate }: RunCalibration['corrected']): Reason {
  const judged = judged_rate === null ? 'unknown' : showNumber(judged_rate, 3);
  const text = `the judge drifted since it was calibrated: with its known errors no answers could make it pass ${judged} of them (corrected rate ${rate === null ? 'unknown' : showNumber(rate, 3)})`;
  return cannotDecide(`${RULE}.drift`, text, rate);
}

function asError(reason: Reason, fix: string): Reason {
  return reason.outcome === 'fail' ? { ...reason, outcome: 'error', text: `${reason.text}: ${fix}` } : reason;
}
