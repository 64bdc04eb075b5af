import type { ResultFold } from '../aggregate/fold.ts';
import { SCORED } from '../aggregate/result-columns.ts';
import type { Calibration } from '../schemas/calibration.ts';
import type { RunCalibration } from '../schemas/summary.ts';
import { meets } from '../scoring/meets.ts';
import { correctRate } from './corrected-rate.ts';

const DAY_MS = 86_400_000;

/** Verdicts on whole rows, not on one judged score. */
export const WHOLE_ROW = 'row';

/** What a calibration says of a run by the same judge. `startedAt` is the run's, so that the answer does not change with the day. */
export function runCalibration(calibration: Calibration, startedAt: string, fold: ResultFold): RunCalibration {
  const { passed, judged } = judgedShare(fold, calibration);
  return {
    ...calibrationFacts(calibration, startedAt),
    corrected: {
      judged_rate: judged === 0 ? null : passed / judged,
      judged,
      ...correctRate({ passed, judged, tpr: calibration.tpr, tnr: calibration.tnr }),
    },
  };
}

/** The part that is known before a run has any answer. */
export function calibrationFacts(calibration: Calibration, startedAt: string): Omit<RunCalibration, 'corrected'> {
  const { judge_hash, metric, label_policy, labels, kappa, tpr, tnr, date } = calibration;
  // Whole days: two runs of one day are decided alike, to the byte. Clocks differ; by more than a day, one of them is wrong.
  const days = Math.floor((Date.parse(startedAt) - Date.parse(date)) / DAY_MS);
  const age_days = days === -1 ? 0 : days;
  const of = { labels, labels_good: tpr.n, labels_bad: tnr.n };
  return { judge_hash, metric, label_policy, age_days, ...of, kappa, tpr: tpr.rate, tnr: tnr.rate };
}

/** Answers that the judge passed, of those it ruled on. */
function judgedShare(fold: ResultFold, { metric, mark }: Calibration): { passed: number; judged: number } {
  const { status, passed: passes, metrics } = fold.columns;
  const column = metrics.get(metric);
  const isReversed = fold.columns.metricFlags.get(metric)?.higherIsBetter === false;
  let passed = 0;
  let judged = 0;
  for (let slot = 0; slot < status.length; slot += 1) {
    if (status[slot] !== SCORED) continue;
    if (metric === WHOLE_ROW) {
      judged += 1;
      passed += passes[slot] ?? 0;
      continue;
    }
    const value = column?.get(slot) ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    judged += 1;
    if (meets(isReversed ? 1 - value : value, mark)) passed += 1;
  }
  return { passed, judged };
}
