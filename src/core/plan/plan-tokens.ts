import type { EvalConfig } from '../schemas/eval.ts';
import { NOTHING, type TokenEstimate } from './estimate-row.ts';
import type { MeasuredSample, RunPlan } from './run-plan.ts';

/** Sums over rows; null where nothing can be said. */
export interface CountedTokens {
  /** For one trial, a target each. */
  readonly targets: (TokenEstimate | null)[];
  /** For one answer a row, a judge each. */
  readonly judges: (TokenEstimate | null)[];
}

/** Tokens that a run would take, planted answers apart: estimated from its rows, or measured on a sample of them. */
export function planTokens(
  config: EvalConfig,
  counted: CountedTokens,
  sample: MeasuredSample | null,
  answers: number,
): RunPlan['tokens'] {
  if (sample !== null) return measuredTokens(sample, answers);
  const reported = counted.targets.some((tokens) => tokens !== null);
  return {
    basis: 'estimated',
    target: reported ? inAndOut(sumOf(counted.targets), config.trials) : null,
    judge: inAndOut(sumOf(counted.judges), config.targets.length * config.trials),
  };
}

function measuredTokens({ results }: MeasuredSample, answers: number): RunPlan['tokens'] {
  const mean = (of: 'target_usage' | 'judge_usage', kind: 'input' | 'output') => {
    const sum = results.reduce((total, { spend }) => {
      const usage = spend[of];
      if (usage === null) return total;
      return total + (kind === 'input' ? usage.input + usage.cache_read + usage.cache_write : usage.output);
    }, 0);
    return results.length === 0 ? 0 : Math.round((sum / results.length) * answers);
  };
  const isReported = results.some(({ spend }) => spend.target_usage !== null);
  return {
    basis: 'measured',
    target: isReported ? { input: mean('target_usage', 'input'), output: mean('target_usage', 'output') } : null,
    judge: { input: mean('judge_usage', 'input'), output: mean('judge_usage', 'output') },
  };
}

/** Adds in place. What cannot be said of one row cannot be said of the sum. */
export function addAll(sums: (TokenEstimate | null)[], more: readonly (TokenEstimate | null)[]): void {
  for (const [index, tokens] of more.entries()) {
    const sum = sums[index] ?? null;
    if (tokens === null || sum === null) {
      sums[index] = null;
      continue;
    }
    for (const key of Object.keys(tokens) as (keyof TokenEstimate)[]) sum[key] += tokens[key];
  }
}

export function sumOf(parts: readonly (TokenEstimate | null)[]): TokenEstimate {
  const sums: (TokenEstimate | null)[] = [{ ...NOTHING }];
  for (const part of parts) if (part !== null) addAll(sums, [part]);
  return sums[0] ?? NOTHING;
}

const inAndOut = ({ input, output }: TokenEstimate, times: number) => ({
  input: input * times,
  output: output * times,
});
