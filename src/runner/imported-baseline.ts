import { join } from 'node:path';
import { loadConfigFile } from '../adapters/local/eval-file.ts';
import type { FileRunStore } from '../adapters/local/file-run-store.ts';
import { ConfigError } from '../core/errors.ts';
import { readSuperevalBaseline, SuperevalOutcomes } from '../core/import/supereval-baseline.ts';
import type { JsonValue } from '../core/json.ts';
import { readLines } from '../core/jsonl.ts';
import { RowSchema } from '../core/schemas/row.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import type { BaselineRun } from '../use-cases/aggregate/aggregate-run.ts';

/** `baseline: file:baseline.json` compares with a baseline that supereval wrote. */
export const BASELINE_FILE_PREFIX = 'file:';

/** A baseline that another tool wrote, as a run to compare with. Its rows are matched when it is read. */
export async function readImportedBaseline(run: RunConfig, runs: FileRunStore): Promise<BaselineRun> {
  const path = join(run.eval_folder ?? '.', run.eval.baseline.slice(BASELINE_FILE_PREFIX.length));
  const read = readSuperevalBaseline((await loadConfigFile(path)).value as JsonValue);
  if ('fault' in read) {
    const fix = 'give a baseline.json that supereval wrote, or --baseline none';
    throw new ConfigError([{ file: path, message: `this is no baseline: ${read.fault}`, fix }]);
  }
  return {
    // What was asked and who judged is not in the file; an empty hash differs from every known one, so it is said.
    config: {
      ...run,
      run_id: `supereval:${read.runId}`,
      target_hash: '',
      judge_hash: `supereval:${read.hash}`,
      // This run may be a sample; that one was none.
      rows: run.dataset.rows,
    },
    outcomes: { [Symbol.asyncIterator]: () => outcomeLines(new SuperevalOutcomes(read), run, runs) },
  };
}

async function* outcomeLines(
  outcomes: SuperevalOutcomes,
  run: RunConfig,
  runs: FileRunStore,
): AsyncGenerator<Uint8Array> {
  const rows = await runs.read(run.run_id, 'rows.jsonl');
  if (rows === null) return;
  for await (const line of readLines(rows)) {
    const outcome = outcomes.of(RowSchema.parse(JSON.parse(line)));
    if (outcome !== null) yield Buffer.from(`${JSON.stringify(outcome)}\n`);
  }
  // A sample says nothing about the rows it left out.
  if (run.rows < run.dataset.rows) return;
  for (const outcome of outcomes.removed()) yield Buffer.from(`${JSON.stringify(outcome)}\n`);
}
