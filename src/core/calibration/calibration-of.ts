import type { Calibration, CalibrationEvidence, JudgeRate } from '../schemas/calibration.ts';
import { meets } from '../scoring/meets.ts';
import { kappa } from '../statistics/kappa.ts';
import { predictionPoweredMean } from '../statistics/prediction-powered.ts';
import { wilsonInterval } from '../statistics/wilson.ts';
import { correctRate } from './corrected-rate.ts';
import { suggestUse } from './suggested-use.ts';

/**
 * How far a judge agrees with people, and what that makes of its verdicts on answers that nobody labelled. All figures
 * follow from counts, so that nobody has to be believed a κ.
 */
export function calibrationOf({ judged_only, ...evidence }: CalibrationEvidence): Calibration {
  const { confusion, mark } = evidence;
  const isOrdered = confusion.labels.length > 2;
  const binary = passTable(confusion.counts, mark);
  const [[bothFail, onlyJudge], [onlyHuman, bothPass]] = binary;
  const labels = bothFail + onlyJudge + onlyHuman + bothPass;
  const ofLabels = (count: number) => (labels === 0 ? null : count / labels);
  const tpr = rate(bothPass, onlyHuman + bothPass);
  const tnr = rate(bothFail, bothFail + onlyJudge);
  const figures = {
    labels,
    judged_only: judged_only.judged,
    judged_only_passed: judged_only.passed,
    weights: isOrdered ? ('quadratic' as const) : ('plain' as const),
    kappa: isOrdered ? kappa(confusion.counts, 'quadratic') : kappa(binary),
    agreement: ofLabels(bothPass + bothFail),
    tpr,
    tnr,
    human_pass_rate: ofLabels(onlyHuman + bothPass),
    judged_pass_rate: ofLabels(onlyJudge + bothPass),
    corrected: {
      rogan_gladen: correctRate({ ...judged_only, tpr, tnr }),
      ppi: predictionPowered(binary, judged_only),
    },
  };
  return { ...evidence, ...figures, suggestion: suggestUse(figures) };
}

/** The counts that the figures of a stored calibration follow from. */
export function evidenceOf(calibration: Calibration): CalibrationEvidence {
  const { judge_hash, judges, eval: name, metric, mark, date, label_policy, dataset } = calibration;
  const { not_judged, confusion, judged_only: judged, judged_only_passed: passed } = calibration;
  return {
    ...{ judge_hash, judges, eval: name, metric, mark, date, label_policy, dataset, not_judged, confusion },
    // Calibrations that were stored before tell how many answers only the judge saw, and not what it said of them.
    judged_only: passed === undefined ? { judged: 0, passed: 0 } : { judged, passed },
  };
}

type PassTable = readonly [readonly [number, number], readonly [number, number]];

/** Labels are evenly spaced over 0..1, and pass from the mark on. */
function passTable(counts: readonly (readonly number[])[], mark: number): PassTable {
  // What has no scale was told apart at the mark when it was counted.
  const passes = (level: number) => (counts.length === 2 ? level === 1 : meets(level / (counts.length - 1), mark));
  const table: [[number, number], [number, number]] = [
    [0, 0],
    [0, 0],
  ];
  for (const [human, row] of counts.entries()) {
    for (const [judged, count] of row.entries()) table[passes(human) ? 1 : 0][passes(judged) ? 1 : 0] += count;
  }
  return table;
}

function predictionPowered(
  [[bothFail, onlyJudge], [onlyHuman, bothPass]]: PassTable,
  { judged, passed }: CalibrationEvidence['judged_only'],
): Calibration['corrected']['ppi'] {
  const estimate = predictionPoweredMean({
    human: [...times(bothFail, 0), ...times(onlyJudge, 0), ...times(onlyHuman, 1), ...times(bothPass, 1)],
    judged: [...times(bothFail, 0), ...times(onlyJudge, 1), ...times(onlyHuman, 0), ...times(bothPass, 1)],
    judgedOnly: [...times(judged - passed, 0), ...times(passed, 1)],
  });
  if (estimate === null) return { status: 'unknown', rate: null, ci95: null };
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  const [lower, upper] = estimate.ci95;
  return { status: 'corrected', rate: clamp(estimate.mean), ci95: [clamp(lower), clamp(upper)] };
}

function rate(hits: number, n: number): JudgeRate {
  const interval = wilsonInterval(hits, n);
  return { rate: n === 0 ? null : hits / n, n, ci95: interval === null ? null : [interval[0], interval[1]] };
}

const times = (count: number, value: number): number[] => new Array<number>(count).fill(value);
