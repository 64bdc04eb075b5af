import { assumedVariance } from '../aggregate/run-statistics.ts';
import { minimumDetectableEffect, sampleSize } from '../statistics/power.ts';
import type { PlanEvidence, RunPlan } from './run-plan.ts';

const ASSUMED_PASS_RATE = 0.9;

/** Which drop so many rows would show, and how many rows would show 3 points. */
export function planPower(evidence: PlanEvidence, rows: number): RunPlan['power'] {
  const known = knownRate(evidence);
  const rowVariance = assumedVariance(known.rate, known.rows);
  return {
    smallest_visible: rows === 0 ? null : Math.min(1, minimumDetectableEffect(rows, { rowVariance })),
    rows_for_3_points: sampleSize(0.03, { rowVariance }),
    pass_rate: known.rate,
    basis: known.basis,
  };
}

function knownRate({ sample, lastRun }: PlanEvidence): {
  readonly rate: number;
  readonly rows: number;
  readonly basis: RunPlan['power']['basis'];
} {
  const counted = sample?.results.filter(({ score }) => score !== null) ?? [];
  if (counted.length > 0) {
    const rate = counted.filter(({ passed }) => passed).length / counted.length;
    return { rate, rows: counted.length, basis: 'sample' };
  }
  if (lastRun?.passRate != null) return { rate: lastRun.passRate, rows: lastRun.counted, basis: 'last run' };
  // As if it were known for certain: nothing is, and the figure says so.
  return { rate: ASSUMED_PASS_RATE, rows: 1e9, basis: 'assumed' };
}
