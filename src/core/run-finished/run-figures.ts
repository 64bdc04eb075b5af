import type { RunFigures } from '../schemas/run-figures.ts';
import type { RunSummary } from '../schemas/summary.ts';

const MOST_NAMES = 20;

export function figuresOf({ type, dataset, counts, coverage, latency, cost, baseline }: RunSummary): RunFigures {
  return {
    type,
    dataset: { id: dataset.id, version: dataset.version },
    counts,
    coverage,
    p95_ms: latency.p95_ms,
    cost: {
      total_usd: cost.total_usd,
      target_usd: cost.target_usd,
      judge_usd: cost.judge_usd,
      not_metered: cost.not_metered.slice(0, MOST_NAMES),
    },
    baseline:
      baseline === null
        ? null
        : {
            run_id: baseline.run_id,
            pass_rate_change: baseline.delta,
            score_change: baseline.mean_delta,
            regressed: baseline.regressed.length,
            fixed: baseline.fixed.length,
          },
  };
}
