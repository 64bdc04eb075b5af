/** What has been throttled so far, in requests. */
export interface ThrottleCounts {
  readonly targets: number;
  readonly judges: number;
}

/** How the requests of a run wait while the other side throttles; nothing at all until it does. */
export interface Pacing {
  /** True while enough requests wait for their turn already: a further row would only wait behind them. */
  readonly isFull: boolean;
  readonly throttled: ThrottleCounts;
  /** Resolves when a further row may start: some wait is over, or waiting itself is. */
  room(): Promise<void>;
  /**
   * Requests to targets wait only while this holds; then they throw NoTurnError. Judges, which are asked about answers
   * that are there, may go on a little longer. @default they wait as long as it takes
   */
  waitWhile(mayWait: () => boolean): void;
}
