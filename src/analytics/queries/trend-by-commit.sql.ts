import { type NamedQuery, type QueryParameter, SINCE } from '../named-query.ts';

const EVAL: QueryParameter = { name: 'eval', kind: 'text', comment: 'name of the eval' };

export const trendByCommit: NamedQuery = {
  name: 'trend_by_commit',
  description: 'Runs of an eval since a day, oldest first, each with its change against the run before',
  parameters: [SINCE, EVAL],
  sql: `
SELECT
  started_at,
  project,
  sha,
  ref,
  gate,
  pass_rate,
  pass_rate - lag(pass_rate) OVER (PARTITION BY project ORDER BY started_at, run_id) AS pass_rate_change,
  score,
  score - lag(score) OVER (PARTITION BY project ORDER BY started_at, run_id) AS score_change,
  regressed_rows,
  fixed_rows,
  p95_ms,
  cost_target_usd,
  cost_judge_usd,
  run_id
FROM runs
WHERE dt >= ? AND eval = ?
ORDER BY project, started_at, run_id
`,
};
