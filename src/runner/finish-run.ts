import { openForReading } from '../adapters/local/file-run-store.ts';
import { systemClock } from '../adapters/system-clock.ts';
import type { RowToConfirm } from '../core/aggregate/confirm-flips.ts';
import { StorageError } from '../core/errors.ts';
import { gzipped } from '../core/gzip-stream.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import { renderHtmlReport } from '../report/html-report.ts';
import { renderJUnit } from '../report/junit.ts';
import { WorstRows } from '../report/worst-rows.ts';
import { type AggregatedRun, aggregateRun, type BaselineRun } from '../use-cases/aggregate/aggregate-run.ts';
import { readCanaries } from '../use-cases/judge/check-judge.ts';
import { readResults } from './former-run.ts';
import type { Stopped } from './local-run-context.ts';
import { localReportContext } from './report-context.ts';
import type { Workspace } from './workspace.ts';

export interface FinishedRun {
  readonly run: RunConfig;
  readonly summary: RunSummary;
  /** The worst of the failed and errored results, for the terminal. */
  readonly failedRows: readonly RowResult[];
  /** How many there are. */
  readonly failedCount: number;
  /** Files to look at, by what they are. */
  readonly paths: Readonly<Record<string, string>>;
}

const FAILED_ROWS_SHOWN = 10;

export interface FinishContext {
  readonly workspace: Workspace;
  readonly baseline: BaselineRun | null;
  /** What a reader has to know about the choice of the baseline. */
  readonly notes: readonly string[];
  readonly stopped: Stopped;
  /** Tries rows again that flipped. Gives why the whole run stopped meanwhile. Absent: they are blamed as they are. */
  confirm?(rows: readonly RowToConfirm[]): Promise<Stopped>;
}

/** results.jsonl → summary, outcomes, report, junit; the run takes its place in the index. */
export async function finishRun(run: RunConfig, context: FinishContext): Promise<FinishedRun> {
  const { runs, index } = context.workspace;
  let aggregated = await aggregateStored(run, context, context.stopped);
  if (aggregated.toConfirm.length > 0 && context.confirm !== undefined) {
    const stopped = await context.confirm(aggregated.toConfirm);
    aggregated = await aggregateStored(run, context, stopped);
  }
  const { summary, outcomes } = aggregated;
  await runs.write(run.run_id, 'outcomes.jsonl.gz', gzipped(outcomes));
  await runs.write(run.run_id, 'summary.json', `${JSON.stringify(summary, null, 2)}\n`);
  const failed = await writeReports(run, summary, context.workspace);
  await index.add({
    run_id: run.run_id,
    eval: run.eval.name,
    gate: summary.gate,
    quarantined: summary.quarantined,
    ref: run.ref,
    score: summary.score,
    started_at: run.started_at,
  });
  return {
    run,
    summary,
    failedRows: failed.worst,
    failedCount: failed.count,
    paths: reportPaths(run.run_id, context.workspace),
  };
}

async function aggregateStored(
  run: RunConfig,
  { workspace: { runs }, baseline, notes }: FinishContext,
  stopped: Stopped,
): Promise<AggregatedRun> {
  const results = await openForReading(runs.locate(run.run_id, 'results.jsonl'));
  if (results === null) throw new StorageError(`run ${run.run_id} has no results.jsonl`);
  return aggregateRun({
    config: run,
    results: [results],
    baseline,
    notes,
    finishedAt: new Date(systemClock.now()).toISOString(),
    stopped,
    canaries: await readCanaries(run.run_id, runs),
    rows: () => runs.read(run.run_id, 'rows.jsonl'),
  });
}

interface FailedResults {
  readonly worst: readonly RowResult[];
  readonly count: number;
}

/** report.html and junit.xml from what is stored; also for `assay report`. Gives the worst results it came across. */
export async function writeReports(run: RunConfig, summary: RunSummary, workspace: Workspace): Promise<FailedResults> {
  const { runs } = workspace;
  const context = await localReportContext(summary, workspace);
  await runs.write(
    run.run_id,
    'report.html',
    renderHtmlReport({ summary, config: run, results: readResults(run.run_id, runs), ...context }),
  );
  const worst = new WorstRows<RowResult>(FAILED_ROWS_SHOWN);
  let count = 0;
  async function* watched(): AsyncGenerator<RowResult> {
    for await (const result of readResults(run.run_id, runs)) {
      // What was tried again is evidence about a row that is in the list already.
      if (!result.passed && result.status !== 'skipped' && result.phase === 'main') {
        count += 1;
        worst.offer(result, () => result);
      }
      yield result;
    }
  }
  await runs.write(run.run_id, 'junit.xml', renderJUnit({ summary, results: watched() }));
  return { worst: worst.worst(), count };
}

export function reportPaths(runId: string, { runs }: Workspace): Readonly<Record<string, string>> {
  return { report: runs.locate(runId, 'report.html'), results: runs.locate(runId, 'results.jsonl') };
}
