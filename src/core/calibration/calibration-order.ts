import type { Calibration } from '../schemas/calibration.ts';

export function isNewer(a: Pick<Calibration, 'date'>, b: Pick<Calibration, 'date'>): boolean {
  return Date.parse(a.date) > Date.parse(b.date);
}

/** Of one time: by judge hash, so that the order is always the same. */
export function newestFirst(calibrations: readonly Calibration[]): readonly Calibration[] {
  return calibrations.toSorted(
    (a, b) => Date.parse(b.date) - Date.parse(a.date) || (a.judge_hash < b.judge_hash ? -1 : 1),
  );
}
