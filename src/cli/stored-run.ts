import { isJsonObject } from '../core/json.ts';
import type { RowResult } from '../core/schemas/result.ts';
import { type RunSummary, RunSummarySchema } from '../core/schemas/summary.ts';
import { readResults, readRunConfig, readSummary } from '../runner/former-run.ts';
import { missingResults } from '../runner/missing-results.ts';
import type { DeployedClient } from './deployed-client.ts';
import type { RunSource } from './run-source.ts';

/** A run's results and summary, wherever they are. */
export interface StoredRun {
  /** Read anew each time. From a deployed app no more than `limit` come. */
  results(only: { readonly failed: boolean; readonly limit: number }): AsyncIterable<RowResult>;
  /** Null: it did not finish. */
  summary(): Promise<RunSummary | null>;
  /** What to tell where results of a finished run are missing; null when all are there. */
  missing(): Promise<string | null>;
}

export function storedRun(runId: string, source: RunSource): StoredRun {
  if (source.kind === 'local') {
    const { runs } = source.workspace;
    return {
      results: () => readResults(runId, runs),
      summary: () => readSummary(runId, runs),
      missing: async () => {
        const [config, summary] = await Promise.all([readRunConfig(runId, runs), readSummary(runId, runs)]);
        return config === null || summary === null ? null : missingResults(config, summary, runs);
      },
    };
  }
  return {
    results: (only) => deployedResults(source.client, runId, only),
    summary: async () => {
      const run = await source.client.manage({ method: 'GET', path: `/api/runs/${runId}` });
      return RunSummarySchema.safeParse(run).data ?? null;
    },
    // The app accounts for every result when it decides.
    missing: async () => null,
  };
}

const PAGE = 100;

async function* deployedResults(
  client: DeployedClient,
  runId: string,
  only: { readonly failed: boolean; readonly limit: number },
): AsyncGenerator<RowResult> {
  let left = only.limit;
  let cursor: unknown = null;
  do {
    const query = new URLSearchParams({ limit: String(Math.min(PAGE, left)), failed_only: String(only.failed) });
    if (typeof cursor === 'string') query.set('cursor', cursor);
    const page = await client.manage({ method: 'GET', path: `/api/datasets/runs/${runId}/results?${query}` });
    const items = Array.isArray(page.items) ? page.items.filter(isJsonObject) : [];
    // The API has the score objects under `details`, and plain numbers under `scores`.
    for (const item of items) yield { ...item, scores: item.details } as unknown as RowResult;
    left -= items.length;
    cursor = page.cursor;
  } while (typeof cursor === 'string' && left > 0);
}
