/** Time and waiting, so that tests can own both. */
export interface Clock {
  /** Milliseconds since 1970, wall clock. */
  now(): number;
  /** Milliseconds, never going back; for durations. */
  monotonicMs(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
