import { type NamedQuery, ONE_RUN, RUN, RUN_DATE } from '../named-query.ts';

export const judgeDisagreement: NamedQuery = {
  name: 'judge_disagreement',
  description: 'Results of a run on which the judges of a jury differ, widest first',
  parameters: [RUN_DATE, RUN],
  sql: `
WITH ${ONE_RUN},
juries AS (
  SELECT row_id, target, trial, metric, scores[metric].value AS combined, scores[metric].votes AS votes, output
  FROM results
  CROSS JOIN UNNEST(map_keys(scores)) AS t (metric)
  WHERE phase = 'main' AND cardinality(scores[metric].votes) > 1
),
ballots AS (
  SELECT
    row_id, target, trial, metric, combined, output,
    votes[i].judge AS judge, votes[i].value AS vote, votes[i].label AS label, votes[i].error AS error
  FROM juries
  CROSS JOIN UNNEST(sequence(1, cardinality(votes))) AS t (i)
)
SELECT
  row_id,
  target,
  trial,
  metric,
  combined,
  min(vote) AS lowest,
  max(vote) AS highest,
  min_by(judge, vote) AS strictest_judge,
  max_by(judge, vote) AS mildest_judge,
  count(CASE WHEN error IS NOT NULL THEN 1 END) AS judges_without_verdict,
  max(output) AS output
FROM ballots
GROUP BY row_id, target, trial, metric, combined
HAVING
  count(DISTINCT CASE WHEN error IS NULL THEN COALESCE(label, '') END) > 1
  OR (count(vote) > 0 AND count(vote) < count(CASE WHEN error IS NULL THEN 1 END))
  OR (count(label) = 0 AND max(vote) - min(vote) > 0.2)
ORDER BY max(vote) - min(vote) DESC, row_id, target, trial, metric
LIMIT 1000
`,
};
