import { type NamedQuery, ONE_RUN, RUN, RUN_DATE } from '../named-query.ts';

export const latencyByTarget: NamedQuery = {
  name: 'latency_by_target',
  description: 'Median, 95th percentile and slowest answer of each target of a run, timeouts at their limit',
  parameters: [RUN_DATE, RUN],
  sql: `
WITH ${ONE_RUN},
timed AS (
  SELECT
    target,
    latency_ms,
    CASE WHEN status = 'target_error' THEN 1 ELSE 0 END AS timed_out,
    row_number() OVER (PARTITION BY target ORDER BY latency_ms) AS rank_of,
    count(*) OVER (PARTITION BY target) AS n
  FROM results
  WHERE phase = 'main' AND latency_ms IS NOT NULL AND status <> 'skipped'
    AND (
      status <> 'target_error'
      OR cause IN ('timeout', 'path-not-found', 'not-json', 'too-large', 'max-tokens', 'refused', 'crashed')
    )
)
SELECT
  target,
  count(*) AS n,
  min(CASE WHEN rank_of * 100 >= n * 50 THEN latency_ms END) AS p50_ms,
  min(CASE WHEN rank_of * 100 >= n * 95 THEN latency_ms END) AS p95_ms,
  max(latency_ms) AS slowest_ms
FROM timed
GROUP BY target
ORDER BY target
`,
};
