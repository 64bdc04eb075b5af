import type { HistoryPoint } from '../../../src/report/report-context.ts';
import { startedAt } from './build-run.ts';

/** Earlier runs with these pass rates, the oldest first; below 0.8 a run failed. */
export function trend(passRates: readonly (number | null)[]): readonly HistoryPoint[] {
  return passRates.map((rate, at) => ({
    run_id: `r-${String(at).padStart(26, '0')}`,
    started_at: startedAt(at + 1),
    gate: rate === null ? 'error' : rate < 0.8 ? 'fail' : 'pass',
    score: rate,
    pass_rate: rate,
    sha: null,
  }));
}
