import { type NamedQuery, ONE_RUN, RUN, RUN_DATE } from '../named-query.ts';

export const worstRows: NamedQuery = {
  name: 'worst_rows',
  description: 'The 100 worst results of a run, with what was asked, expected and answered',
  parameters: [RUN_DATE, RUN],
  sql: `
WITH ${ONE_RUN}
SELECT row_id, target, trial, status, cause, score, failed_checks, input, expected, output, error
FROM results
WHERE phase = 'main' AND NOT passed AND status <> 'skipped'
ORDER BY
  CASE status WHEN 'target_error' THEN 0 WHEN 'scored' THEN 1 ELSE 2 END,
  score,
  row_id,
  target,
  trial
LIMIT 100
`,
};
