import type { NamedQuery } from './named-query.ts';
import { costByModelAndDay } from './queries/cost-by-model-and-day.sql.ts';
import { judgeDisagreement } from './queries/judge-disagreement.sql.ts';
import { judgeErrorsByCause } from './queries/judge-errors-by-cause.sql.ts';
import { latencyByTarget } from './queries/latency-by-target.sql.ts';
import { latestRuns } from './queries/latest-runs.sql.ts';
import { metricMeans } from './queries/metric-means.sql.ts';
import { passRateByTag } from './queries/pass-rate-by-tag.sql.ts';
import { regressions } from './queries/regressions.sql.ts';
import { scoreDistribution } from './queries/score-distribution.sql.ts';
import { slowestRows } from './queries/slowest-rows.sql.ts';
import { trendByCommit } from './queries/trend-by-commit.sql.ts';
import { worstRows } from './queries/worst-rows.sql.ts';

/** The questions people ask first, saved in the workgroup of a deployed app and known to `assay query`. */
export const NAMED_QUERIES: readonly NamedQuery[] = [
  latestRuns,
  worstRows,
  regressions,
  passRateByTag,
  metricMeans,
  scoreDistribution,
  costByModelAndDay,
  latencyByTarget,
  slowestRows,
  judgeErrorsByCause,
  judgeDisagreement,
  trendByCommit,
];
