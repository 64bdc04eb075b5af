import { type NamedQuery, RUN, RUN_DATE } from '../named-query.ts';

export const passRateByTag: NamedQuery = {
  name: 'pass_rate_by_tag',
  description: 'Pass rate and score of a run by tag and by difficulty, worst first',
  parameters: [RUN_DATE, RUN, RUN_DATE, RUN],
  sql: `
WITH outcomes AS (
  SELECT row_id, passed, score FROM row_outcomes WHERE dt = ? AND run_id = ?
),
labels AS (
  SELECT DISTINCT row_id, tags, difficulty FROM row_results WHERE dt = ? AND run_id = ?
),
grouped AS (
  SELECT DISTINCT 'tag' AS kind, tag AS name, row_id FROM labels CROSS JOIN UNNEST(tags) AS t (tag)
  UNION ALL
  SELECT 'difficulty' AS kind, difficulty AS name, row_id FROM labels WHERE difficulty IS NOT NULL
)
SELECT
  kind,
  name,
  count(*) AS row_count,
  count(score) AS counted,
  count(CASE WHEN score IS NOT NULL AND passed THEN 1 END) AS passed,
  count(CASE WHEN score IS NOT NULL AND passed THEN 1 END) / CAST(NULLIF(count(score), 0) AS double) AS pass_rate,
  avg(score) AS score
FROM grouped
JOIN outcomes ON outcomes.row_id = grouped.row_id
GROUP BY kind, name
ORDER BY kind DESC, pass_rate, name
`,
};
