import { NoTurnError } from '../../core/errors.ts';
import type { RowResult, SkipCause } from '../../core/schemas/result.ts';
import type { Row } from '../../core/schemas/row.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Pacing } from '../../ports/pacing.ts';
import type { Target } from '../../ports/target.ts';
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

/** Money for tasks: each is admitted before it starts, and then either settled or given back. */
export interface TaskSpending {
  /** Why a task was refused, for people. */
  readonly why: string;
  /** Waits while others hold what it needs and `goesOn`. */
  admit(task: RowTask, goesOn: () => boolean): Promise<'go' | 'refused' | 'stopped'>;
  settle(task: RowTask, result: RowResult): void;
  giveBack(task: RowTask): void;
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
  /** What rows may spend, where the run has a hard cap. */
  readonly spending?: TaskSpending | null;
  /** No row starts while enough requests wait already. @default nothing throttles */
  readonly pacing?: Pacing | undefined;
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
 * hands back: the returned rows have not started, or (rarely) not all of their tasks have.
 */
export async function evaluateRows(options: EvaluateRowsOptions): Promise<{ readonly remaining: readonly Row[] }> {
  const { guard, clock, pacing, spending = null } = options;
  const source = options.rows[Symbol.asyncIterator]();
  const remaining: Row[] = [];
  let inFlight = 0;
  let hasStarted = false;
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
  const waitForRoom = async (): Promise<void> => {
    await waitForSlot();
    while (pacing?.isFull === true && failure === null) {
      await pacing.room();
      await waitForSlot();
    }
  };
  const waitForTurn = async (targetId: string): Promise<void> => {
    await waitForRoom();
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

  /** False: its turn did not come. */
  const evaluateOne = async (task: RowTask): Promise<boolean> => {
    guard.noteStart(task.target.id);
    // An answer may lift the limit of the first rows: not to wait for the judge saves a run of 1,000 rows 2 %.
    const result = await options
      .evaluate(task, () => {
        guard.noteAnswer(task.target.id);
        wakeUp();
      })
      .catch((error: unknown) => {
        if (error instanceof NoTurnError) return null;
        throw error;
      });
    if (result === null) {
      await leave(task);
      return false;
    }
    guard.note(result);
    spending?.settle(task, result);
    await options.onResult(result);
    return true;
  };

  /** Time ran out while it waited for its turn: it has not begun, so it is another batch's, unless the run is over. */
  const leave = async (task: RowTask): Promise<void> => {
    spending?.giveBack(task);
    const cause = guard.refuse(task.target.id, clock.monotonicMs());
    if (cause !== null) await options.onResult(options.skip(task, cause));
    else if (!remaining.includes(task.row)) remaining.push(task.row);
  };

  /** Null: it may start, and what it may cost is put by. Otherwise why not. */
  const admit = async (task: RowTask): Promise<SkipCause | 'hand back' | null> => {
    const refuse = () => guard.refuse(task.target.id, clock.monotonicMs());
    const cause = refuse();
    if (cause !== null || spending === null) return cause;
    const goesOn = () => failure === null && refuse() === null && options.mustHandBack?.() !== true;
    const admission = await spending.admit(task, goesOn);
    if (admission === 'go') {
      const late = failure === null ? refuse() : 'stopped';
      if (late !== null) spending.giveBack(task);
      return late;
    }
    if (admission === 'stopped' && (failure !== null || refuse() !== null)) return refuse() ?? 'stopped';
    // A batch that has waited all its life for money would hand back what it was given, and be asked that for ever.
    if (admission === 'stopped' && hasStarted) return 'hand back';
    guard.stop(
      'cost cap',
      admission === 'stopped' ? 'hard cost cap: what is left is held by other batches' : spending.why,
    );
    return 'cost cap';
  };

  const start = async (task: RowTask): Promise<void> => {
    inFlight += 1;
    hasStarted = true;
    try {
      if (!(await evaluateOne(task))) return;
      for (let next = firstOpen(options.next?.(task)); next !== null; next = firstOpen(options.next?.(next))) {
        const cause = await admit(next);
        if (cause === null) {
          if (!(await evaluateOne(next))) break;
        } else {
          await options.onResult(options.skip(next, cause === 'hand back' ? 'cost cap' : cause));
          break;
        }
      }
    } catch (error) {
      failure ??= { error };
    } finally {
      inFlight -= 1;
      wakeUp();
    }
  };

  /** False: the task is left to another batch, as the rest of its row is. */
  const run = async (first: RowTask): Promise<boolean> => {
    const task = firstOpen(first);
    if (task === null) return true;
    await waitForTurn(task.target.id);
    if (failure !== null) return true;
    const cause = await admit(task);
    if (failure !== null) return true;
    if (cause === 'hand back') return false;
    if (cause === null) void start(task);
    else await options.onResult(options.skip(task, cause));
    return true;
  };

  while (failure === null) {
    const next = await source.next();
    if (next.done === true) break;
    const row = next.value;
    await waitForRoom();
    const tasks = tasksOf(row, options);
    const isBegun = options.isDone !== undefined && tasks.some(options.isDone);
    // A row that an earlier attempt began stays with this batch: another one would not find what is done of it.
    if (!isBegun && options.mustHandBack?.() === true) {
      remaining.push(row);
      continue;
    }
    for (const task of tasks) {
      if (await run(task)) continue;
      remaining.push(row);
      break;
    }
  }
  while (inFlight > 0) await nextToEnd();
  const failed = failure as { readonly error: unknown } | null;
  if (failed !== null) {
    await source.return?.();
    throw failed.error;
  }
  return { remaining: remaining.sort((a, b) => a.index - b.index) };
}

function tasksOf(row: Row, { trials, targets, phase, wants }: EvaluateRowsOptions): readonly RowTask[] {
  const wanted = wants === undefined ? targets : targets.filter((target) => wants(row, target));
  const phased = phase === undefined ? {} : { phase };
  return Array.from({ length: trials }, (_, trial) =>
    wanted.map((target) => ({ row, target, trial, ...phased })),
  ).flat();
}
