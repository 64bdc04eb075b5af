import type { RowResult, SkipCause } from '../core/schemas/result.ts';
import type { Row } from '../core/schemas/row.ts';
import type { Clock } from '../ports/clock.ts';
import type { Target } from '../ports/target.ts';
import type { RunGuard } from './run-guard.ts';

/** One (row, target, trial) of the manifest; in phase `confirm` one that tries a row again. */
export interface RowTask {
  readonly row: Row;
  readonly target: Target;
  /** From 0, in each phase. */
  readonly trial: number;
  /** @default main */
  readonly phase?: RowResult['phase'];
}

export interface EvaluateRowsOptions {
  readonly rows: AsyncIterable<Row>;
  readonly targets: readonly Target[];
  readonly trials: number;
  /** @default main */
  readonly phase?: RowResult['phase'];
  /** Tasks in flight at once. */
  readonly concurrency: number;
  readonly guard: RunGuard;
  readonly clock: Clock;
  /** Row failures are results; what this throws ends the run. `onAnswer` is called once the target has answered. */
  evaluate(task: RowTask, onAnswer: () => void): Promise<RowResult>;
  /** The result of a task that never ran. */
  skip(task: RowTask, cause: SkipCause): RowResult;
  /** Called once a task, in order of completion; its promise is awaited before the slot is used again. */
  onResult(result: RowResult): Promise<void> | void;
  /** False: the task is none of this batch's, and gets no result. @default every task is */
  wants?(row: Row, target: Target): boolean;
  /** Tasks that an earlier attempt finished. */
  isDone?(task: RowTask): boolean;
  /** What is asked once `task` has its result, in the same slot: trials that follow from the one before. @default nothing */
  next?(task: RowTask): RowTask | null;
  /** True: start nothing more, and leave what has not started unaccounted (a batch hands it back). */
  mustHandBack?(): boolean;
}

/**
 * Evaluates every task of the rows with bounded concurrency. Each task ends in exactly one result, unless the batch
 * hands back: the returned rows have not started at all.
 */
export async function evaluateRows(options: EvaluateRowsOptions): Promise<{ readonly remaining: readonly Row[] }> {
  const { guard, clock } = options;
  const source = options.rows[Symbol.asyncIterator]();
  const remaining: Row[] = [];
  let inFlight = 0;
  /** Wakes the loop below, the only one that waits; racing the promises in flight would cost their number for each row. */
  let wake: (() => void) | null = null;
  let failure: { readonly error: unknown } | null = null;

  const nextToEnd = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const waitForSlot = async (): Promise<void> => {
    while (inFlight >= guard.concurrency(options.concurrency)) await nextToEnd();
  };
  const waitForTurn = async (targetId: string): Promise<void> => {
    await waitForSlot();
    while (inFlight > 0 && guard.mustWait(targetId)) await nextToEnd();
  };

  const wakeUp = (): void => {
    wake?.();
    wake = null;
  };

  /** `task`, or what follows it where an earlier attempt finished it. */
  const firstOpen = (task: RowTask | null | undefined): RowTask | null => {
    let open = task ?? null;
    while (open !== null && options.isDone?.(open) === true) open = options.next?.(open) ?? null;
    return open;
  };

  const evaluateOne = async (task: RowTask): Promise<void> => {
    guard.noteStart(task.target.id);
    // An answer may lift the limit of the first rows: not to wait for the judge saves a run of 1,000 rows 2 %.
    const result = await options.evaluate(task, () => {
      guard.noteAnswer(task.target.id);
      wakeUp();
    });
    guard.note(result);
    await options.onResult(result);
  };

  const start = async (task: RowTask): Promise<void> => {
    inFlight += 1;
    try {
      await evaluateOne(task);
      for (let next = firstOpen(options.next?.(task)); next !== null; next = firstOpen(options.next?.(next))) {
        const cause = guard.refuse(next.target.id, clock.monotonicMs(), inFlight - 1);
        if (cause === null) await evaluateOne(next);
        else {
          await options.onResult(options.skip(next, cause));
          break;
        }
      }
    } catch (error) {
      failure ??= { error };
    }
    inFlight -= 1;
    wakeUp();
  };

  const run = async (first: RowTask): Promise<void> => {
    const task = firstOpen(first);
    if (task === null) return;
    await waitForTurn(task.target.id);
    if (failure !== null) return;
    const cause = guard.refuse(task.target.id, clock.monotonicMs(), inFlight);
    if (cause === null) void start(task);
    else await options.onResult(options.skip(task, cause));
  };

  while (failure === null) {
    const next = await source.next();
    if (next.done === true) break;
    const row = next.value;
    await waitForSlot();
    const tasks = tasksOf(row, options);
    const isBegun = options.isDone !== undefined && tasks.some(options.isDone);
    // A row that an earlier attempt began stays with this batch: another one would not find what is done of it.
    if (!isBegun && options.mustHandBack?.() === true) remaining.push(row);
    else for (const task of tasks) await run(task);
  }
  while (inFlight > 0) await nextToEnd();
  const failed = failure as { readonly error: unknown } | null;
  if (failed !== null) {
    await source.return?.();
    throw failed.error;
  }
  return { remaining };
}

function tasksOf(row: Row, { trials, targets, phase, wants }: EvaluateRowsOptions): readonly RowTask[] {
  const wanted = wants === undefined ? targets : targets.filter((target) => wants(row, target));
  const phased = phase === undefined ? {} : { phase };
  return Array.from({ length: trials }, (_, trial) =>
    wanted.map((target) => ({ row, target, trial, ...phased })),
  ).flat();
}
