import { type NamedQuery, ONE_RUN, RUN, RUN_DATE } from '../named-query.ts';

export const judgeErrorsByCause: NamedQuery = {
  name: 'judge_errors_by_cause',
  description: 'Results of a run without a verdict by cause, and the metrics that got no value',
  parameters: [RUN_DATE, RUN],
  sql: `
WITH ${ONE_RUN},
unscored AS (
  SELECT metric, scores[metric].cause AS cause, row_id, scores[metric].reason AS reason
  FROM results
  CROSS JOIN UNNEST(map_keys(scores)) AS t (metric)
  WHERE phase = 'main' AND scores[metric].status = 'unscored'
)
SELECT 'result' AS what, CAST(NULL AS varchar) AS metric, cause, count(*) AS results, min(row_id) AS example, min(error) AS says
FROM results
WHERE phase = 'main' AND status = 'judge_error'
GROUP BY cause
UNION ALL
SELECT 'metric' AS what, metric, cause, count(*) AS results, min(row_id) AS example, min(reason) AS says
FROM unscored
WHERE cause IN ('judge-unparsable', 'judge-unavailable')
GROUP BY metric, cause
ORDER BY what DESC, results DESC, metric, cause
`,
};
