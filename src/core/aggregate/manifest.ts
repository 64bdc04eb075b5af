import type { Policy } from '../schemas/thresholds.ts';

/** What a run must account for: every row × target × trial. Denominators come from here, never from what was found. */
export interface Manifest {
  readonly runId: string;
  readonly rows: number;
  /** Target ids, in the order of the eval. */
  readonly targets: readonly string[];
  readonly trials: number;
  /** Trials a row gets again before a flip is blamed on it; 0 = none. */
  readonly confirmTrials: number;
  readonly trialPolicy: Policy['trial_policy'];
}
