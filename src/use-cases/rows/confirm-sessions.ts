import { type Tally, verdictOf } from '../../core/aggregate/confirm-rule.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { RowTask } from './evaluate-rows.ts';

/** How often a row is asked again, and how many failures decide. */
export interface ConfirmLimits {
  readonly trials: number;
  blameAt(rowIndex: number): number;
}

/**
 * Further trials of flipped rows, one after another at each target, until their verdict is sure: so what is asked follows
 * from the answers alone, and is the same on every driver.
 */
export class ConfirmSessions {
  private readonly limits: ConfirmLimits;
  private readonly tallies = new Map<string, Tally>();

  constructor(limits: ConfirmLimits) {
    this.limits = limits;
  }

  /** A further trial that ended, now or in an earlier attempt. */
  note({ index, target, status, passed: passes }: RowResult): void {
    if (status !== 'scored' && status !== 'target_error') return;
    const pair = pairOf(index, target);
    const { passed, failed } = this.tallies.get(pair) ?? NONE;
    this.tallies.set(pair, passes ? { passed: passed + 1, failed } : { passed, failed: failed + 1 });
  }

  /** What is asked after `task`; null when its row is decided at that target, or was asked as often as it may be. */
  next(task: RowTask): RowTask | null {
    const { trials } = this.limits;
    const { index } = task.row;
    const tally = this.tallies.get(pairOf(index, task.target.id)) ?? NONE;
    if (verdictOf(tally, { trials, blameAt: this.limits.blameAt(index) }) !== null) return null;
    return task.trial + 1 < trials ? { ...task, trial: task.trial + 1 } : null;
  }
}

const NONE: Tally = { passed: 0, failed: 0 };
const pairOf = (index: number, targetId: string): string => `${index} ${targetId}`;
