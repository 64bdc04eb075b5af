import { type NamedQuery, ONE_RUN, type QueryParameter, RUN, RUN_DATE } from '../named-query.ts';

const BASELINE: QueryParameter = { name: 'baseline', kind: 'run', comment: 'run to compare with' };
const BASELINE_DATE: QueryParameter = {
  name: 'baseline_dt',
  kind: 'run_date',
  of: 'baseline',
  comment: 'its UTC date',
};

export const regressions: NamedQuery = {
  name: 'regressions',
  description: 'Rows that passed in one run and fail in another, and rows that were fixed, answers side by side',
  parameters: [RUN_DATE, RUN, BASELINE_DATE, BASELINE, RUN_DATE, RUN, BASELINE_DATE, BASELINE],
  sql: `
WITH ${ONE_RUN},
${ONE_RUN.replace('results AS', 'former_results AS')},
now_rows AS (
  SELECT row_id, content, passed, score FROM row_outcomes WHERE dt = ? AND run_id = ?
),
then_rows AS (
  SELECT row_id, content, passed, score FROM row_outcomes WHERE dt = ? AND run_id = ?
),
compared AS (
  SELECT
    now_rows.row_id,
    CASE WHEN then_rows.passed THEN 'regressed' ELSE 'fixed' END AS change,
    then_rows.score AS score_then,
    now_rows.score AS score_now
  FROM now_rows
  JOIN then_rows ON then_rows.row_id = now_rows.row_id AND then_rows.content = now_rows.content
  WHERE now_rows.score IS NOT NULL AND then_rows.score IS NOT NULL AND now_rows.passed <> then_rows.passed
)
SELECT
  compared.change,
  compared.row_id,
  results.target,
  compared.score_then,
  compared.score_now,
  results.input,
  results.expected,
  former_results.output AS output_then,
  results.output AS output_now,
  results.failed_checks,
  results.error
FROM compared
LEFT JOIN results
  ON results.row_id = compared.row_id AND results.phase = 'main' AND results.trial = 0
LEFT JOIN former_results
  ON former_results.row_id = compared.row_id AND former_results.target = results.target
  AND former_results.phase = 'main' AND former_results.trial = 0
ORDER BY compared.change DESC, compared.score_now - compared.score_then, compared.row_id, results.target
LIMIT 1000
`,
};
