import type { FileRunStore } from '../adapters/local/file-run-store.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import { countOf, formatCount } from '../report/format.ts';
import { readResults } from './former-run.ts';

/**
 * What to tell where results.jsonl holds fewer results than the summary counts; null when all are there. A result that
 * is there twice counts once. Throws StorageError for a line that cannot be read.
 */
export async function missingResults(
  { run_id, rows, eval: { targets, trials } }: RunConfig,
  { counts, skipped_by_cause }: RunSummary,
  runs: FileRunStore,
): Promise<string | null> {
  const positions = new Map(targets.map(({ id }, position) => [id, position]));
  const seen = new Uint8Array(rows * targets.length * trials);
  let found = 0;
  for await (const { index, target, trial, phase } of readResults(run_id, runs)) {
    const slot = (index * targets.length + (positions.get(target) ?? Number.NaN)) * trials + trial;
    if (phase !== 'main' || seen[slot] !== 0) continue;
    seen[slot] = 1;
    found += 1;
  }
  // What was lost when the run ended is in its decision already.
  const expected = counts.results - (skipped_by_cause.lost ?? 0);
  if (found >= expected) return null;
  const path = runs.locate(run_id, 'results.jsonl');
  return `${path} holds ${formatCount(found)} of ${countOf(expected, 'result')}: what is listed is not the whole run (assay run --resume ${run_id} runs the rest again)`;
}
