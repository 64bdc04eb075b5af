import type { EvalConfig } from '../schemas/eval.ts';
import { burndownOf } from './burndown.ts';
import type { Asked } from './plan-cost.ts';

/** What a model's account may ask of it in a minute; absent: not known, so no bound. */
export interface Quota {
  readonly rpm?: number | undefined;
  readonly tpm?: number | undefined;
}

export interface QuotaBound {
  readonly model: string;
  readonly by: 'requests' | 'tokens';
  /** Rows with all their targets and trials. */
  readonly rows_per_minute: number;
  readonly requests_a_row: number;
  /** As the quota counts: input + the larger of `max_tokens` (kept back at the start) and output × burndown (at the end). */
  readonly tokens_a_row: number;
  readonly burndown: number;
  readonly seconds: number;
}

/**
 * The time that a judge's model takes for so many rows by its quota, which every judge and Bedrock target of that model
 * share; of several models the slowest. Null where no model judges or no quota is given.
 */
export function quotaBound(
  rows: number,
  asked: readonly Asked[],
  judges: EvalConfig['judges'],
  quota: Quota,
): QuotaBound | null {
  const models = new Set(judges.flatMap((judge) => ('model' in judge ? [judge.model] : [])));
  const bounds = [...models].flatMap((model) => {
    const bound = boundOf(model, rows, asked, quota);
    return bound === null ? [] : [bound];
  });
  return bounds.sort((a, b) => b.seconds - a.seconds)[0] ?? null;
}

function boundOf(model: string, rows: number, asked: readonly Asked[], { rpm, tpm }: Quota): QuotaBound | null {
  let [requests, tokens, burndown] = [0, 0, 1];
  for (const { of, tokens: sum, times } of asked) {
    if (!('max_tokens' in of) || of.model !== model || sum === null) continue;
    // Burndown is Bedrock's; another server has the quota it says it has.
    burndown = of.type === 'bedrock' ? burndownOf(model) : 1;
    requests += sum.calls * times;
    tokens += (sum.input + Math.max(sum.calls * of.max_tokens, sum.output * burndown)) * times;
  }
  if (rows === 0 || requests === 0) return null;
  const byRequests = rpm === undefined ? 0 : requests / rpm;
  const byTokens = tpm === undefined ? 0 : tokens / tpm;
  const minutes = Math.max(byRequests, byTokens);
  if (minutes === 0) return null;
  return {
    model,
    by: byTokens > byRequests ? 'tokens' : 'requests',
    rows_per_minute: rows / minutes,
    requests_a_row: requests / rows,
    tokens_a_row: tokens / rows,
    burndown,
    seconds: minutes * 60,
  };
}
