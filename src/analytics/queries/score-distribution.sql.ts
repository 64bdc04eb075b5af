import { type NamedQuery, ONE_RUN, RUN, RUN_DATE } from '../named-query.ts';

export const scoreDistribution: NamedQuery = {
  name: 'score_distribution',
  description: 'How the values of each metric of a run spread over ten bins of 0.1; the last one holds 1 too',
  parameters: [RUN_DATE, RUN],
  sql: `
WITH ${ONE_RUN},
metric_values AS (
  SELECT target, metric, scores[metric].value AS metric_value
  FROM results
  CROSS JOIN UNNEST(map_keys(scores)) AS t (metric)
  WHERE phase = 'main' AND status = 'scored'
)
SELECT
  target,
  metric,
  least(floor(metric_value * 10), 9) / 10 AS bin_from,
  count(*) AS results
FROM metric_values
WHERE metric_value IS NOT NULL
GROUP BY target, metric, least(floor(metric_value * 10), 9) / 10
ORDER BY target, metric, bin_from
`,
};
