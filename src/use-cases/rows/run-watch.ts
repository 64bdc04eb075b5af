import { StorageError } from '../../core/errors.ts';
import type { SkipCause } from '../../core/schemas/result.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CutOff } from './cut-off.ts';
import type { RunGuard } from './run-guard.ts';

export interface WatchOptions {
  readonly guard: RunGuard;
  readonly cutOff: CutOff;
  readonly clock: Clock;
  /** End of the time budget on the monotonic clock, in ms. */
  readonly deadlineMs: number;
  /** Asked every few seconds whether the run was stopped elsewhere, and why. @default nobody can */
  stoppedElsewhere?(): Promise<{ readonly cause: SkipCause; readonly why: string } | null>;
}

/** A stop elsewhere takes effect within 5 s, the look itself included. */
const LOOK_MS = 4_000;
/** A row that began within the time budget is given this long beyond it. */
export const GRACE_MS = 30_000;
/** Timers hold no more. */
const LONGEST_SLEEP_MS = 2_147_483_647;

/**
 * Watches over rows in flight, which no guard sees before they end: cuts them off when the run was stopped elsewhere, and
 * when they outlive the time budget. Call what it returns when the rows have ended.
 */
export function watchRun(options: WatchOptions): () => Promise<void> {
  const ended = new AbortController();
  const watching = watch(options, ended.signal);
  // What broke it is told by the function below, to somebody who waits for it.
  watching.catch(() => undefined);
  return () => {
    ended.abort();
    return watching;
  };
}

async function watch(options: WatchOptions, ended: AbortSignal): Promise<void> {
  const { guard, cutOff, clock, deadlineMs } = options;
  const stop = (cause: SkipCause, why: string) => {
    guard.stop(cause, why);
    cutOff.cut(cause);
  };
  for (;;) {
    const leftMs = deadlineMs + GRACE_MS - clock.monotonicMs();
    if (leftMs <= 0) return stop('time budget', 'time budget reached');
    const lookMs = options.stoppedElsewhere === undefined ? LONGEST_SLEEP_MS : LOOK_MS;
    await clock.sleep(Math.min(leftMs, lookMs), ended).catch((error: unknown) => {
      if (!ended.aborted) throw error;
    });
    if (ended.aborted) return;
    const found = await look(options);
    if (found !== null) return stop(found.cause, found.why);
  }
}

/** A look that fails is made again: what cannot be read for long fails the batch where it writes. */
async function look({ stoppedElsewhere }: WatchOptions) {
  try {
    return (await stoppedElsewhere?.()) ?? null;
  } catch (error) {
    if (error instanceof StorageError) return null;
    throw error;
  }
}
