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
 * Set from what the pieces were measured at (S3 430 KB, DynamoDB 333 KB, Bedrock 340 KB, zod 88 KB, middy 3 KB;
 * they share about a third); lower them as handlers settle, raise them only with a reason here.
 */
export const BUNDLE_CEILINGS_KB: Readonly<Record<FunctionName, number>> = {
  api: 700,
  'ingest-dataset': 700,
  'prepare-run': 700,
  'evaluate-rows': 700,
  'aggregate-run': 700,
  'fail-run': 700,
  'sweep-runs': 700,
};
