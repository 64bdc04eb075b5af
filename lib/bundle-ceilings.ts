/** Name of each function's folder under `lambdas/`. */
export type FunctionName =
  | 'api'
  | 'ingest-dataset'
  | 'prepare-run'
  | 'evaluate-rows'
  | 'aggregate-run'
  | 'compact-run'
  | 'fail-run'
  | 'sweep-runs'
  | 'start-scheduled'
  | 'mend-schedules';

export interface BundleCeiling {
  /** Most that the handler may weigh, minified, in KB (1,000 bytes), without its source map. */
  readonly kb: number;
  /** Why it may weigh more than 700 KB. */
  readonly reason?: string;
}

const TALKS_TO_TARGETS =
  'asks targets and checks rows: undici 479 KB (half of it two WebAssembly parsers, each with and without SIMD), ' +
  "RE2 for the checks' patterns 151 KB, beside the clients of S3, DynamoDB and Bedrock; those of Lambda, AgentCore and " +
  'Bedrock Agents, for targets of these types, are 97 + 86 + 74 KB, run when such a target is asked; it lives for minutes';

const CLOSES_RUNS =
  'what it closes it tells: the clients of S3 (its line in the table of runs, 150 KB) and EventBridge (46 KB) are run ' +
  'when there is a run to close, which is seldom';

/**
 * Cold starts are billed since 2025-08, and what is imported decides them: `import { z } from 'zod'` alone costs 360 KB
 * more than `import * as z`. Each is set a little above what was measured.
 */
export const BUNDLE_CEILINGS: Readonly<Record<FunctionName, BundleCeiling>> = {
  api: {
    kb: 1_430,
    reason:
      'every service in one function: S3 with its presigner, DynamoDB, Step Functions, Secrets Manager, Lambda, EventBridge and its Scheduler; ' +
      'openapi.json is 130 KB, run when it is asked for; evals are checked before they are stored (templates, outbound rules: 35 KB)',
  },
  'ingest-dataset': { kb: 800, reason: 'S3 and DynamoDB clients with zod come to 690 KB before a line of ours' },
  'prepare-run': { kb: 2_220, reason: `${TALKS_TO_TARGETS}; EventBridge 46 KB, run when a run is refused` },
  'evaluate-rows': { kb: 2_150, reason: TALKS_TO_TARGETS },
  'aggregate-run': {
    kb: 1_190,
    reason:
      'reads parts from S3 (129 KB more than the small ones), tells EventBridge how runs end (46 KB, once a run), and renders ' +
      'the report: 120 KB of it and its style and script, 42 KB of d3 for scales and paths, 6 KB of diff; one invocation a run',
  },
  'compact-run': {
    kb: 960,
    reason: 'S3, DynamoDB and Lambda clients, the Parquet writer (70 KB); one invocation a large run',
  },
  'fail-run': { kb: 880, reason: CLOSES_RUNS },
  'sweep-runs': { kb: 890, reason: CLOSES_RUNS },
  'start-scheduled': { kb: 650 },
  'mend-schedules': { kb: 670 },
};
