import { NO_COST } from '../cost/cost.ts';
import type { Usage } from '../schemas/answer.ts';
import type { RowResult } from '../schemas/result.ts';
import type { CostSummary } from '../schemas/summary.ts';
import type { NumberColumn } from './column.ts';
import { sortedConfirm } from './confirm-trials.ts';
import type { ResultFold } from './fold.ts';
import { TOKEN_KINDS } from './result-columns.ts';

/** What the run spent, confirm trials and planted answers too. A sum with an unpriced call in it is unknown, never a smaller sum. */
export function totalCost(fold: ResultFold, judges: readonly string[]): CostSummary {
  const { columns, spending, manifest } = fold;
  const besides = [...sortedConfirm(fold).map(({ result }) => result.spend), ...canarySpend(fold)];
  const usd = (column: NumberColumn, side: 'target' | 'judge') =>
    besides.reduce((sum, spend) => sum + (spend[side].status === 'metered' ? spend[side].usd : 0), column.sum());
  const tokens = (side: readonly NumberColumn[], usage: 'target_usage' | 'judge_usage'): Usage => {
    const total = (kind: (typeof TOKEN_KINDS)[number]) =>
      besides.reduce((sum, spend) => sum + (spend[usage]?.[kind] ?? 0), side[TOKEN_KINDS.indexOf(kind)]?.sum() ?? 0);
    return {
      input: total('input'),
      output: total('output'),
      cache_read: total('cache_read'),
      cache_write: total('cache_write'),
    };
  };
  const target = spending.targetsUnknown.size > 0 ? null : usd(columns.targetUsd, 'target');
  const judge = spending.judgesUnknown.size > 0 ? null : usd(columns.judgeUsd, 'judge');
  const unmetered = manifest.targets.filter((_, position) => spending.targetsNotMetered.has(position));
  const unknown = [
    ...[...spending.targetsUnknown.values()].flatMap((models) => [...models]),
    ...spending.judgesUnknown,
  ];
  return {
    total_usd: target === null || judge === null ? null : target + judge,
    target_usd: target,
    judge_usd: judge,
    not_metered: [
      ...unmetered.map((id) => `target ${id}`),
      ...(spending.judgeNotMetered ? [`judge ${judges.join(', ')}`.trim()] : []),
    ],
    unknown: [...new Set(unknown)].sort(),
    tokens: { target: tokens(columns.targetTokens, 'target_usage'), judge: tokens(columns.judgeTokens, 'judge_usage') },
  };
}

type Spend = Pick<RowResult['spend'], 'target' | 'judge' | 'target_usage' | 'judge_usage'>;

function canarySpend({ spending: { canaries } }: ResultFold): readonly Spend[] {
  if (canaries === null) return [];
  return [{ target: NO_COST, target_usage: null, judge: canaries.cost, judge_usage: canaries.usage }];
}
