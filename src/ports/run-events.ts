import type { RunFinished } from '../core/schemas/run-finished.ts';

/** Where the end of a run is told to whoever listens. */
export interface RunEvents {
  /** Stage of the app that tells. */
  readonly stage: string;
  /**
   * Returns when the bus has taken the event; told again, the same event may arrive twice. Throws RunEventError where
   * the bus refuses, or fails after its retries.
   */
  runFinished(event: RunFinished): Promise<void>;
  /** The end of this run could not be told now; the sweep tells it. For log, metric and alarm. Never throws. */
  notTold(runId: string, error: unknown): void;
}
