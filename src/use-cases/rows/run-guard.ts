import type { RowResult, SkipCause } from '../../core/schemas/result.ts';

/** Failures in a row, before any success, that end a run: the target (or judge) is down or misconfigured. */
export const PROBE_ROWS = 8;

export interface GuardLimits {
  /** Milliseconds on the run's monotonic clock after which no row starts; null = none. */
  readonly deadlineMs: number | null;
}

/** What a run has seen so far; batches of a deployed run start from the run's counters. */
export interface GuardHistory {
  readonly answeredTargets?: readonly string[];
  readonly graded?: boolean;
  readonly judgeFailures?: number;
}

interface TargetState {
  answered: boolean;
  started: number;
  failures: number;
  lastError: string;
}

/**
 * Decides, before each row, whether it may start. Bounds the time a run takes, and what it spends on a target or judge that
 * is down (SCORING §7 Guards). What it may spend on rows that work is for `RowSpending`.
 */
export class RunGuard {
  private readonly limits: GuardLimits;
  private readonly targets = new Map<string, TargetState>();
  private graded: boolean;
  private judgeFailures: number;
  private plantedFailures = 0;
  private runStop: { cause: SkipCause; why: string } | null = null;

  constructor(targetIds: readonly string[], limits: GuardLimits, history: GuardHistory = {}) {
    this.limits = limits;
    for (const id of targetIds) {
      this.targets.set(id, {
        answered: history.answeredTargets?.includes(id) ?? false,
        started: 0,
        failures: 0,
        lastError: '',
      });
    }
    this.graded = history.graded ?? false;
    this.judgeFailures = history.judgeFailures ?? 0;
  }

  /** Why the whole run starts no further row; null while it goes on. */
  get stopped(): { readonly cause: SkipCause; readonly why: string } | null {
    return this.runStop;
  }

  /** Targets given up on, with the last error seen. */
  get downTargets(): ReadonlyMap<string, string> {
    const down = [...this.targets].filter(([, state]) => isDown(state));
    return new Map(down.map(([id, state]) => [id, state.lastError]));
  }

  /** Rows that may be in flight: few until every target has answered once, so that a dead one costs few requests. */
  concurrency(wanted: number): number {
    const allAnswered = [...this.targets.values()].every((state) => state.answered || isDown(state));
    return allAnswered ? wanted : Math.min(wanted, PROBE_ROWS);
  }

  stop(cause: SkipCause, why: string): void {
    this.runStop ??= { cause, why };
  }

  /** Null: the row may start. Otherwise the cause under which it is skipped. */
  refuse(targetId: string, nowMs: number): SkipCause | null {
    if (this.runStop !== null) return this.runStop.cause;
    if (this.limits.deadlineMs !== null && nowMs >= this.limits.deadlineMs) {
      this.stop('time budget', 'time budget reached');
      return 'time budget';
    }
    const state = this.targets.get(targetId);
    if (state !== undefined && isDown(state)) return 'target down';
    return null;
  }

  /** A row is sent to the target. */
  noteStart(targetId: string): void {
    const state = this.targets.get(targetId);
    if (state !== undefined) state.started += 1;
  }

  /** The first rows are sent and none is answered: what they tell decides on the others, alike on every driver. */
  mustWait(targetId: string): boolean {
    const state = this.targets.get(targetId);
    return state !== undefined && !state.answered && !isDown(state) && state.started >= PROBE_ROWS;
  }

  /** The target answered a row: it is up, whatever the judge will say. */
  noteAnswer(targetId: string): void {
    const state = this.targets.get(targetId);
    if (state !== undefined) state.answered = true;
  }

  note(result: RowResult): void {
    const state = this.targets.get(result.target);
    if (state !== undefined && result.status === 'target_error') {
      state.failures += 1;
      state.lastError = result.error ?? result.cause ?? '';
      if ([...this.targets.values()].every(isDown)) this.stop('target down', targetDownText(this.downTargets));
    }
    if (state !== undefined && (result.status === 'scored' || result.status === 'judge_error')) state.answered = true;
    if (result.status === 'scored' && result.spend.judge_calls > 0) this.graded = true;
    if (result.status === 'judge_error') this.noteJudgeFailures(1, result.error ?? result.cause ?? '');
  }

  /** Planted answers: where the judge gave no verdict it counts as failing. */
  notePlanted({ failures, why }: { failures: number; why: string }): void {
    this.plantedFailures += failures;
    if (failures > 0) this.noteJudgeFailures(failures, why);
  }

  private noteJudgeFailures(failures: number, why: string): void {
    if (this.graded) return;
    this.judgeFailures += failures;
    if (this.judgeFailures < PROBE_ROWS) return;
    const planted = this.plantedFailures === 0 ? '' : `, ${this.plantedFailures} planted ones among them`;
    this.stop('stopped', `the judge failed ${this.judgeFailures} rows before grading any${planted}: ${why}`);
  }
}

const isDown = (state: TargetState): boolean => !state.answered && state.failures >= PROBE_ROWS;

function targetDownText(down: ReadonlyMap<string, string>): string {
  const list = [...down].map(([id, error]) => `${id} (${error})`).join('; ');
  return `no answer to the first ${PROBE_ROWS} rows: ${list}`;
}
