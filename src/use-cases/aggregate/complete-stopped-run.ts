import { lineBatches } from '../../core/jsonl.ts';
import type { RowResult, SkipCause } from '../../core/schemas/result.ts';
import type { Row } from '../../core/schemas/row.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import type { RunRef } from '../../ports/result-parts.ts';
import type { DeployedPorts } from '../deployed.ts';
import { countersOf } from '../rows/batch-counters.ts';
import { skippedResult } from '../rows/row-result.ts';

/** Rows of one part of skipped results. */
const ROWS_A_PART = 500;

type Ports = Pick<DeployedPorts, 'runs' | 'parts' | 'rowIndex' | 'registry'>;

/**
 * A run that stopped before its Map has rows that no batch ever saw: they get their results here, skipped under the
 * cause of the stop, as every other driver writes them. Repeatable: what has a result is left alone.
 */
export async function completeStoppedRun(run: RunConfig, cause: SkipCause, ref: RunRef, ports: Ports): Promise<void> {
  const seen = await seenResults(run, ref, ports);
  if (seen.every((byte) => byte === 1)) return;
  const rows = await ports.runs(run.project).read(run.run_id, 'rows.jsonl');
  if (rows === null) return;
  let missing: RowResult[] = [];
  let partRows = 0;
  const flush = async () => {
    if (missing.length > 0) await writePart(missing, ref, ports);
    missing = [];
    partRows = 0;
  };
  for await (const lines of lineBatches(rows)) {
    for (const line of lines) {
      const row = JSON.parse(line) as Row;
      const results = missingResults(row, run, cause, seen);
      // A part is named after its first row, so that it holds consecutive rows.
      if (results.length === 0 || partRows >= ROWS_A_PART) await flush();
      missing.push(...results);
      partRows += 1;
    }
  }
  await flush();
}

/** A byte a (row, target, trial). */
async function seenResults(run: RunConfig, ref: RunRef, { parts }: Ports): Promise<Uint8Array> {
  const { targets, trials } = run.eval;
  const seen = new Uint8Array(run.rows * targets.length * trials);
  for await (const chunks of parts.reader(ref).read(run.run_id)) {
    for await (const lines of lineBatches(chunks)) {
      for (const line of lines) {
        const { index, target, trial, phase } = JSON.parse(line) as RowResult;
        if (phase !== 'main') continue;
        const position = targets.findIndex(({ id }) => id === target);
        if (position >= 0) seen[slotOf(run, index, position, trial)] = 1;
      }
    }
  }
  return seen;
}

function missingResults(row: Row, run: RunConfig, cause: SkipCause, seen: Uint8Array): RowResult[] {
  const { targets, trials } = run.eval;
  const results: RowResult[] = [];
  for (let trial = 0; trial < trials; trial += 1) {
    for (const [position, target] of targets.entries()) {
      if (seen[slotOf(run, row.index, position, trial)] === 1) continue;
      const model = 'model' in target ? target.model : null;
      results.push(skippedResult({ row, target: { id: target.id, model }, trial }, run, cause));
    }
  }
  return results;
}

function slotOf(run: RunConfig, index: number, target: number, trial: number): number {
  const { targets, trials } = run.eval;
  return (index * targets.length + target) * trials + trial;
}

/** A part that is there already, of a row that was not asked by all targets, keeps what it holds. */
async function writePart(missing: readonly RowResult[], ref: RunRef, ports: Ports): Promise<void> {
  const firstIndex = missing[0]?.index ?? 0;
  const results = [...((await ports.parts.read(ref, firstIndex)) ?? []), ...missing];
  const part = await ports.parts.write(ref, firstIndex, results);
  await ports.rowIndex.put(ref.runId, part, results);
  await ports.registry.putBatchCounters(ref.runId, firstIndex, countersOf(results));
}
