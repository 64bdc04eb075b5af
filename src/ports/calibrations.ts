import type { Calibration } from '../core/schemas/calibration.ts';

/**
 * How judges did beside human labels: the newest calibration of each judge, prompt and rubric, by judge hash. One
 * project's, or one folder's. Throws StorageError where the medium fails, and for what no Assay wrote.
 */
export interface Calibrations {
  /** Null: this judge was never calibrated. */
  find(judgeHash: string): Promise<Calibration | null>;
  /** Keeps it in place of an older one. False: a newer one is kept, and nothing was written. */
  put(calibration: Calibration): Promise<boolean>;
  /** Newest first. */
  list(): Promise<readonly Calibration[]>;
}
