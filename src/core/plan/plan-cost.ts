import { type PriceTable, priceOf } from '../cost/price-table.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import type { RowResult } from '../schemas/result.ts';
import { meanInterval } from '../statistics/mean-interval.ts';
import type { TokenEstimate } from './estimate-row.ts';

/** Somebody that is asked: `tokens` (summed over rows) for one answer, `times` answers. */
export interface Asked {
  readonly of: EvalConfig['targets'][number] | EvalConfig['judges'][number];
  /** Null where nothing can be said. */
  readonly tokens: TokenEstimate | null;
  readonly times: number;
}

/** USD; null where it is not known. */
export interface CostRange {
  readonly low_usd: number | null;
  readonly high_usd: number | null;
}

/** By position. */
type Estimates = readonly (TokenEstimate | null)[];

/** What rows take, of each target and judge. */
export function askedOf(
  config: EvalConfig,
  { targets, judges }: { readonly targets: Estimates; readonly judges: Estimates },
): readonly Asked[] {
  const { trials } = config;
  return [
    ...config.targets.map((of, at) => ({ of, tokens: targets[at] ?? null, times: trials })),
    ...config.judges.map((of, at) => ({ of, tokens: judges[at] ?? null, times: config.targets.length * trials })),
  ];
}

/** What goes to each judge once a run. */
export function askedOnce(config: EvalConfig, { judges }: { readonly judges: Estimates }): readonly Asked[] {
  return config.judges.map((of, at) => ({ of, tokens: judges[at] ?? null, times: 1 }));
}

/** From likely tokens to the most there can be; null where a model has no price. */
export function usdOf(asked: readonly Asked[], prices: PriceTable): CostRange {
  let [low, high] = [0, 0];
  for (const { of, tokens, times } of asked) {
    if (of.type !== 'bedrock' || tokens === null) continue;
    const price = priceOf(of.model, prices);
    if (price === null) return { low_usd: null, high_usd: null };
    low += (times * (tokens.input * price.input + tokens.output * price.output)) / 1e6;
    high += (times * (tokens.inputAtMost * price.input + tokens.outputAtMost * price.output)) / 1e6;
  }
  return { low_usd: low, high_usd: high };
}

export function addRanges(a: CostRange, b: CostRange): CostRange {
  const sum = (one: number | null, other: number | null) => (one === null || other === null ? null : one + other);
  return { low_usd: sum(a.low_usd, b.low_usd), high_usd: sum(a.high_usd, b.high_usd) };
}

/** What the sample cost, an answer, times the answers; the range is that of the mean. */
export function measuredCost(results: readonly RowResult[], answers: number): CostRange {
  const costs = results.map(({ cost_target_usd: target, cost_judge_usd: judge }) => (target ?? 0) + (judge ?? 0));
  const estimate = meanInterval(costs);
  if (estimate === null) return { low_usd: null, high_usd: null };
  const [low, high] = estimate.ci95 ?? [estimate.mean, estimate.mean];
  return { low_usd: Math.max(0, low) * answers, high_usd: high * answers };
}

/** What the cost leaves out: those who tell no tokens, and models without a price. */
export function unmetered(
  config: EvalConfig,
  prices: PriceTable,
): { readonly not_metered: readonly string[]; readonly unknown: readonly string[] } {
  const not_metered = [
    ...config.targets.filter(({ type }) => type !== 'bedrock' && type !== 'recorded').map(({ id }) => `target ${id}`),
    ...config.judges.flatMap((judge) => (judge.type === 'openai' ? [`judge ${judge.model}`] : [])),
  ];
  const models = [...config.targets, ...config.judges].flatMap((of) => (of.type === 'bedrock' ? [of.model] : []));
  return { not_metered, unknown: [...new Set(models)].filter((model) => priceOf(model, prices) === null) };
}
