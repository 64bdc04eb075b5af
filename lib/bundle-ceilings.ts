/** Name of each function's folder under `lambdas/`. */
export type FunctionName =
  | 'api'
  | 'ingest-dataset'
  | 'prepare-run'
  | 'evaluate-rows'
  | 'aggregate-run'
  | 'fail-run'
  | 'sweep-runs';

/**
 * Most that a handler may weigh, minified, in KB (1,000 bytes), without its source map. Cold starts are billed since
 * 2025-08, and what is imported decides them: `import { z } from 'zod'` alone costs 360 KB more than `import * as z`.
 * Set a little above what was measured. Above 700 KB, and why:
 * - prepare-run and evaluate-rows talk to targets and check rows: undici 479 KB (half of it two WebAssembly parsers, each
 *   with and without SIMD), RE2 for the checks' patterns 151 KB, Bedrock's client 92 KB, beside S3, DynamoDB and zod.
 *   They live for minutes, so half a second of start-up does not show.
 * - aggregate-run reads parts from S3 and renders the report: our own code 157 KB, S3 129 KB more than the small ones.
 */
export const BUNDLE_CEILINGS_KB: Readonly<Record<FunctionName, number>> = {
  api: 1_700,
  'ingest-dataset': 900,
  'prepare-run': 1_700,
  'evaluate-rows': 1_700,
  'aggregate-run': 980,
  'fail-run': 630,
  'sweep-runs': 630,
};
