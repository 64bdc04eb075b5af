import { type NamedQuery, SINCE } from '../named-query.ts';

export const latestRuns: NamedQuery = {
  name: 'latest_runs',
  description: 'Runs since a day, newest first: their ids and dates are what the other queries ask for',
  parameters: [SINCE],
  sql: `
SELECT dt, run_id, project, eval, gate, pass_rate, score, row_count, failed_rows, judge_errors, ref, sha, started_at
FROM runs
WHERE dt >= ?
ORDER BY started_at DESC, run_id DESC
LIMIT 100
`,
};
