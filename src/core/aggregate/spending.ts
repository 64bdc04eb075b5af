import type { CanaryReport } from '../schemas/canaries.ts';
import type { RowResult } from '../schemas/result.ts';
import { hasCached, type ResultColumns } from './result-columns.ts';

export interface ConfirmTrial {
  readonly result: RowResult;
  readonly target: number;
}

/** What of the money spent is not a sum of dollars: systems that report nothing, models without a price. */
export class Spending {
  /** Positions of targets that do not report usage. */
  readonly targetsNotMetered = new Set<number>();
  /** Target position → models without a price. */
  readonly targetsUnknown = new Map<number, Set<string>>();
  judgeNotMetered = false;
  readonly judgesUnknown = new Set<string>();
  /** Confirm trials: paid for, not counted as results. Keyed like results, so that a repeat counts once. */
  readonly confirm = new Map<string, ConfirmTrial>();

  /** What the planted answers cost: part of what the judge did. */
  canaries: Pick<CanaryReport, 'cost' | 'usage'> | null = null;

  noteCanaries(report: CanaryReport): void {
    this.canaries = report;
    if (report.cost.status === 'not_metered') this.judgeNotMetered = true;
    if (report.cost.status === 'unknown') this.judgesUnknown.add(report.cost.model);
  }

  note(result: RowResult, target: number): void {
    const { spend, status } = result;
    if (status === 'skipped') return;
    if (spend.target.status === 'not_metered' && result.attempts > 0) this.targetsNotMetered.add(target);
    if (spend.target.status === 'unknown') {
      const models = this.targetsUnknown.get(target) ?? new Set();
      this.targetsUnknown.set(target, models.add(spend.target.model));
    }
    if (spend.judge.status === 'not_metered' && spend.judge_calls > 0) this.judgeNotMetered = true;
    if (spend.judge.status === 'unknown') this.judgesUnknown.add(spend.judge.model);
  }
}

/** Results, confirm trials too, of which a verdict was kept from an earlier run and cost nothing. */
export function cachedResults({ columns, spending }: { columns: ResultColumns; spending: Spending }): number {
  const confirm = [...spending.confirm.values()].filter(({ result }) => hasCached(result)).length;
  return columns.cached.reduce((sum, flag) => sum + flag, confirm);
}

/** Cost of one target of several, all its trials; one call without a price makes the sum unknown. */
export function targetCost(
  spending: Spending,
  columns: ResultColumns,
  target: number,
  targets: number,
  trials: number,
  confirm: readonly ConfirmTrial[],
): { status: 'metered' | 'not_metered' | 'unknown'; usd: number | null } {
  if (spending.targetsUnknown.has(target)) return { status: 'unknown', usd: null };
  const usd = confirm.reduce(
    (sum, { result, target: of }) =>
      of === target && result.spend.target.status === 'metered' ? sum + result.spend.target.usd : sum,
    columns.targetUsd.sum(target * trials, targets * trials, trials),
  );
  if (!spending.targetsNotMetered.has(target)) return { status: 'metered', usd };
  return { status: 'not_metered', usd: usd > 0 ? usd : null };
}
