import type { RowResult, SkipCause } from '../../core/schemas/result.ts';

/** Rows that are in flight are not waited for any longer: what their requests would bring is worth nothing now. */
export class CutOff {
  private readonly controller = new AbortController();

  /** Aborted by `cut`. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  cut(cause: SkipCause): void {
    this.controller.abort(new RowsCutOff(cause));
  }
}

class RowsCutOff extends Error {
  override readonly name = 'RowsCutOff';
  readonly skipCause: SkipCause;

  constructor(cause: SkipCause) {
    super(`the run no longer waits for rows in flight: ${cause}`);
    this.skipCause = cause;
  }
}

/** Why rows are cut off that work under this signal; null while they are not. */
export function cutOffCause(signal: AbortSignal): SkipCause | null {
  if (!signal.aborted) return null;
  return signal.reason instanceof RowsCutOff ? signal.reason.skipCause : 'stopped';
}

/** A row that had begun when it was cut off: skipped, with what is known of its cost. */
export function wasCutOff({ status, attempts, spend, error }: RowResult): boolean {
  return status === 'skipped' && (error !== null || attempts > 0 || spend.judge_calls > 0);
}
