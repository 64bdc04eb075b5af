/** How long requests wait for a turn at a side that throttles. */
export interface Patience {
  /** False: whoever waits gives up now. */
  mayWait(): boolean;
  /** A side that has answered nobody for so long is given up. */
  readonly silenceMs: number;
}

const MIN_SILENCE_MS = 120_000;

/** As long as the row itself might take there, and two minutes at least: servers ask for up to one. */
export function patienceOf(timeoutS: number, attempts: number, mayWait: () => boolean = () => true): Patience {
  return { mayWait, silenceMs: Math.max(MIN_SILENCE_MS, timeoutS * attempts * 1000) };
}
