import type { Calibration, JudgeRate } from '../schemas/calibration.ts';
import { correctJudgedRate } from '../statistics/rogan-gladen.ts';

type Corrected = Calibration['corrected']['rogan_gladen'];

export interface JudgedAnswers {
  /** Answers that the judge passed. */
  readonly passed: number;
  readonly judged: number;
  readonly tpr: JudgeRate;
  readonly tnr: JudgeRate;
}

/**
 * The share that people would have passed (Rogan–Gladen). `judge_drift`: no share of good answers could make this judge
 * pass that many or that few. `edge`: the point lies outside 0..1 and its interval reaches back in, so that chance explains
 * it; a run of perfect answers lies there half of the time.
 */
export function correctRate({ passed, judged, tpr, tnr }: JudgedAnswers): Corrected {
  if (judged === 0 || tpr.rate === null || tnr.rate === null) return { status: 'unknown', rate: null, ci95: null };
  const corrected = correctJudgedRate({
    rate: passed / judged,
    rows: judged,
    specificity: tnr.rate,
    negatives: tnr.n,
    sensitivity: tpr.rate,
    positives: tpr.n,
  });
  if (corrected.status === 'uninformative') return { status: 'uninformative', rate: null, ci95: null };
  const [lower, upper] = corrected.ci95;
  if (corrected.status === 'corrected') return { status: 'corrected', rate: corrected.rate, ci95: [lower, upper] };
  if (lower > 1 || upper < 0) return { status: 'judge_drift', rate: corrected.rate, ci95: [lower, upper] };
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  return { status: 'edge', rate: clamp(corrected.rate), ci95: [clamp(lower), clamp(upper)] };
}
