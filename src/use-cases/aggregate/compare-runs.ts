import { setupDifferences } from '../../core/aggregate/baseline.ts';
import { type OutcomeComparison, OutcomeFold } from '../../core/aggregate/compare-outcomes.ts';
import { readLines } from '../../core/jsonl.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import type { RunSummary } from '../../core/schemas/summary.ts';
import type { ByteChunks } from '../../ports/run-store.ts';

/** A finished run as its files tell it. */
export interface ComparedRun {
  readonly config: RunConfig;
  readonly summary: Pick<
    RunSummary,
    'run_id' | 'eval' | 'status' | 'score' | 'pass_rate' | 'ref' | 'sha' | 'started_at'
  >;
  /** Uncompressed `outcomes.jsonl`. */
  readonly outcomes: ByteChunks;
}

export interface RunComparison extends OutcomeComparison {
  readonly first: ComparedRun['summary'];
  readonly second: ComparedRun['summary'];
  /** What differs between the two set-ups, so that scores may differ for that reason alone. */
  readonly differences: readonly string[];
}

/** Two finished runs row by row, over their stored outcomes: nothing is asked and nothing decided. */
export async function compareRuns(first: ComparedRun, second: ComparedRun): Promise<RunComparison> {
  const fold = new OutcomeFold();
  for await (const line of readLines(first.outcomes)) fold.addFirst(line);
  for await (const line of readLines(second.outcomes)) fold.addSecond(line);
  const others = first.summary.eval === second.summary.eval ? [] : ['eval'];
  return {
    first: headOf(first.summary),
    second: headOf(second.summary),
    differences: [...others, ...setupDifferences(second.config, first.config)],
    ...fold.finish(),
  };
}

function headOf({ run_id, eval: name, status, score, pass_rate, ref, sha, started_at }: ComparedRun['summary']) {
  return { run_id, eval: name, status, score, pass_rate, ref, sha, started_at };
}
