import { type NamedQuery, SINCE, SINCE_DAY } from '../named-query.ts';

export const costByModelAndDay: NamedQuery = {
  name: 'cost_by_model_and_day',
  description: 'Dollars and tokens since a day by day, project and model of the target; trials that confirmed are in',
  parameters: [SINCE],
  sql: `
WITH ${SINCE_DAY}
SELECT
  dt,
  project,
  COALESCE(target_model, target) AS model,
  count(DISTINCT run_id) AS runs,
  count(*) AS results,
  sum(cost_target_usd) AS cost_target_usd,
  sum(cost_judge_usd) AS cost_judge_usd,
  count(CASE WHEN spend.target.status <> 'metered' AND attempts > 0 THEN 1 END) AS target_calls_without_price,
  count(CASE WHEN spend.judge.status <> 'metered' AND spend.judge_calls > 0 THEN 1 END) AS judged_without_price,
  sum(tokens_in) AS tokens_in,
  sum(tokens_out) AS tokens_out
FROM results
GROUP BY dt, project, COALESCE(target_model, target)
ORDER BY dt DESC, project, model
`,
};
