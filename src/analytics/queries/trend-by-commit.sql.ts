import { type NamedQuery, type QueryParameter, SINCE } from '../named-query.ts';

const EVAL: QueryParameter = { name: 'eval', kind: 'text', comment: 'name of the eval' };

export const trendByCommit: NamedQuery = {
  name: 'trend_by_commit',
  description:
    'Runs of an eval since a day, oldest first, each with its change against the last one before it that was counted',
  parameters: [SINCE, EVAL],
  sql: `
SELECT
  started_at,
  project,
  sha,
  ref,
  gate,
  pass_rate,
  pass_rate - max_by(pass_rate, counted_at) OVER (
    PARTITION BY project ORDER BY started_at, run_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS pass_rate_change,
  score,
  score - max_by(score, counted_at) OVER (
    PARTITION BY project ORDER BY started_at, run_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS score_change,
  regressed_rows,
  fixed_rows,
  p95_ms,
  cost_target_usd,
  cost_judge_usd,
  run_id
FROM (
  SELECT *, CASE WHEN pass_rate IS NOT NULL THEN started_at || run_id END AS counted_at
  FROM runs
  WHERE dt >= ? AND eval = ?
) AS runs_of_eval
ORDER BY project, started_at, run_id
`,
};
