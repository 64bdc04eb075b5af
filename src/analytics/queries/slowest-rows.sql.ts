import { type NamedQuery, ONE_RUN, RUN, RUN_DATE } from '../named-query.ts';

export const slowestRows: NamedQuery = {
  name: 'slowest_rows',
  description: 'The 100 results of a run that took longest, with attempts and tokens',
  parameters: [RUN_DATE, RUN],
  sql: `
WITH ${ONE_RUN}
SELECT row_id, target, trial, latency_ms, attempts, tokens_in, tokens_out, status, cause, passed, input
FROM results
WHERE phase = 'main' AND latency_ms IS NOT NULL
ORDER BY latency_ms DESC, row_id, target, trial
LIMIT 100
`,
};
