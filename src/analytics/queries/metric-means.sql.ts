import { type NamedQuery, ONE_RUN, RUN, RUN_DATE } from '../named-query.ts';

export const metricMeans: NamedQuery = {
  name: 'metric_means',
  description: 'Mean of each metric of a run by target; of several trials the mean counts',
  parameters: [RUN_DATE, RUN],
  sql: `
WITH ${ONE_RUN},
metric_values AS (
  SELECT target, row_id, metric, scores[metric].value AS metric_value
  FROM results
  CROSS JOIN UNNEST(map_keys(scores)) AS t (metric)
  WHERE phase = 'main' AND status = 'scored'
),
row_means AS (
  SELECT target, row_id, metric, avg(metric_value) AS metric_value
  FROM metric_values
  GROUP BY target, row_id, metric
)
SELECT
  target,
  metric,
  count(metric_value) AS n,
  avg(metric_value) AS mean,
  min(metric_value) AS lowest,
  max(metric_value) AS highest
FROM row_means
GROUP BY target, metric
ORDER BY target, metric
`,
};
