import { describe, expect, it } from 'vitest';
import { calibrationReasons } from '../../../src/core/gate/calibration-reasons.ts';
import type { RunCalibration } from '../../../src/core/schemas/summary.ts';

const REQUIRED = { min_kappa: 0.6, max_age_days: 30 };
const known = (changes: Partial<RunCalibration> = {}): RunCalibration => ({
  judge_hash: 'j',
  metric: 'judge',
  label_policy: '1',
  age_days: 12,
  labels: 100,
  labels_good: 60,
  labels_bad: 40,
  kappa: 0.7,
  tpr: 0.9,
  tnr: 0.9,
  corrected: { status: 'corrected', judged_rate: 0.8, judged: 50, rate: 0.85, ci95: [0.7, 0.95] },
  ...changes,
});

describe('a judge that must be calibrated', () => {
  it.each([
    { name: 'good, fresh and sound', calibration: known(), outcome: 'pass' },
    { name: 'exactly at both limits', calibration: known({ kappa: 0.6, age_days: 30 }), outcome: 'pass' },
    { name: 'never compared', calibration: null, outcome: 'error' },
    { name: 'compared too long ago', calibration: known({ age_days: 30.5 }), outcome: 'error' },
    { name: 'of no known age', calibration: known({ age_days: Number.NaN }), outcome: 'error' },
    { name: 'dated ahead of the run', calibration: known({ age_days: -2 }), outcome: 'error' },
    { name: 'by ten labels of each kind', calibration: known({ labels_good: 10, labels_bad: 10 }), outcome: 'pass' },
    { name: 'by nine good labels', calibration: known({ kappa: 1, labels_good: 9 }), outcome: 'error' },
    { name: 'by nine bad labels', calibration: known({ kappa: 1, labels_bad: 9 }), outcome: 'error' },
    {
      name: 'stored before labels were kept by kind, by two labels',
      calibration: known({ kappa: 1, labels: 2, labels_good: undefined, labels_bad: undefined }),
      outcome: 'error',
    },
    {
      name: 'by a score that no answer of the run has',
      calibration: known({ corrected: { status: 'unknown', judged_rate: null, judged: 0, rate: null, ci95: null } }),
      outcome: 'error',
    },
    { name: 'agreeing too little', calibration: known({ kappa: 0.59 }), outcome: 'error' },
    { name: 'of undefined agreement', calibration: known({ kappa: null }), outcome: 'error' },
    {
      name: 'drifted',
      calibration: known({ corrected: { ...known().corrected, status: 'judge_drift', rate: 1.09 } }),
      outcome: 'error',
    },
    {
      name: 'no better than chance',
      calibration: known({ corrected: { ...known().corrected, status: 'uninformative', rate: null } }),
      outcome: 'error',
    },
    {
      name: 'at the edge by chance',
      calibration: known({ corrected: { ...known().corrected, status: 'edge', rate: 1 } }),
      outcome: 'pass',
    },
  ])('$name: $outcome', ({ calibration, outcome }) => {
    const outcomes = calibrationReasons(REQUIRED, calibration).map((reason) => reason.outcome);
    expect(outcomes.includes('error') ? 'error' : 'pass').toBe(outcome);
    // A judge that may not gate says nothing about the target.
    expect(outcomes).not.toContain('fail');
  });
});
