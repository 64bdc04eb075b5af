import type { RowResult } from '../schemas/result.ts';
import { type ConfirmRule, confirmRule, type Tally } from './confirm-rule.ts';
import type { ResultFold } from './fold.ts';
import type { Reduced } from './reduce.ts';
import type { ConfirmTrial } from './spending.ts';

/** Further trials of one row at one target. */
export interface PairTrials extends Tally {
  /** Trials that ran, with a verdict or without. */
  readonly evaluated: number;
  readonly trials: readonly Reduced[];
}

/** What phase `confirm` of a run holds. */
export interface FurtherTrials {
  /** (row, target) that were to be tried again, those that were skipped too. */
  readonly pairs: number;
  /** The rule that so many pairs take; only where there are any. */
  readonly rule: ConfirmRule;
  readonly evaluated: number;
  /** In manifest order. */
  readonly results: readonly RowResult[];
  get(row: number, target: number): PairTrials;
}

const NONE: PairTrials = { passed: 0, failed: 0, evaluated: 0, trials: [] };

export function furtherTrials(fold: ResultFold): FurtherTrials {
  const { targets, confirmTrials } = fold.manifest;
  const byPair = new Map<number, PairTrials>();
  const results: RowResult[] = [];
  let evaluated = 0;
  for (const { result, target } of sortedConfirm(fold)) {
    const pair = result.index * targets.length + target;
    results.push(result);
    if (result.status !== 'skipped') evaluated += 1;
    byPair.set(pair, withResult(byPair.get(pair) ?? NONE, result));
  }
  return {
    pairs: byPair.size,
    rule: confirmRule(confirmTrials, byPair.size),
    evaluated,
    results,
    get: (row, target) => byPair.get(row * targets.length + target) ?? NONE,
  };
}

function withResult({ passed, failed, evaluated, trials }: PairTrials, result: RowResult): PairTrials {
  const { status, passed: passes } = result;
  const score = status === 'scored' ? result.score : status === 'target_error' ? 0 : null;
  const hasVerdict = status === 'scored' || status === 'target_error';
  return {
    passed: passed + (hasVerdict && passes ? 1 : 0),
    failed: failed + (hasVerdict && !passes ? 1 : 0),
    evaluated: evaluated + (status === 'skipped' ? 0 : 1),
    trials: [...trials, { status, passed: passes, score }],
  };
}

/** Trials of phase `confirm` in manifest order. */
export function sortedConfirm(fold: ResultFold): readonly ConfirmTrial[] {
  const entries = [...fold.spending.confirm].sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([, entry]) => entry);
}
