import { rowOutcomeLine, runLine } from '../../analytics/table-lines.ts';
import type { RowToConfirm } from '../../core/aggregate/confirm-flips.ts';
import { StorageError } from '../../core/errors.ts';
import { gunzipped, gzipped } from '../../core/gzip-stream.ts';
import { lineBatches } from '../../core/jsonl.ts';
import { unpackResult } from '../../core/packed-result.ts';
import { figuresOf } from '../../core/run-finished/run-figures.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { Row } from '../../core/schemas/row.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import type { RunSummary } from '../../core/schemas/summary.ts';
import type { AggregateInput, AggregateReport, RowItem } from '../../core/schemas/workflow.ts';
import type { RunRef } from '../../ports/result-parts.ts';
import type { RunEvents } from '../../ports/run-events.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { Workflow } from '../../ports/workflow.ts';
import { renderHtmlReport } from '../../report/html-report.ts';
import { renderJUnit } from '../../report/junit.ts';
import { type DeployedPorts, isFinal, loadRun, readRunConfig } from '../deployed.ts';
import { announceRun } from '../end/announce-run.ts';
import { resumeIfRedriven } from '../end/redrive.ts';
import { aggregateRun } from './aggregate-run.ts';
import { completeStoppedRun } from './complete-stopped-run.ts';
import { openDeployedBaseline } from './deployed-baseline.ts';
import { deployedReportContext } from './deployed-report-context.ts';

export type AggregateDeployedRunPorts = DeployedPorts & {
  readonly workflow: Workflow;
  readonly events: RunEvents;
};

/**
 * Last state of the workflow: result parts → summary, outcomes, report, junit, gate. Repeatable: a second call finds the
 * run decided and answers the same. The gate is written last, when everything it points at lies in the store; then its end is told.
 */
export async function aggregateDeployedRun(
  input: AggregateInput,
  ports: AggregateDeployedRunPorts,
): Promise<AggregateReport> {
  const run = await resumeIfRedriven((await loadRun(input.run_id, ports)).run, ports);
  if (isFinal(run)) {
    await announceRun(run, ports);
    return decided(run, run.status);
  }
  const config = await readRunConfig(run, ports);
  const runs = ports.runs(run.project);
  const ref: RunRef = { runId: run.run_id, project: run.project, startedAt: run.started_at };
  const stopped = run.cancel_requested ? ({ cause: 'cancelled', why: 'cancelled' } as const) : (input.stop ?? null);
  if (stopped !== null) await completeStoppedRun(config, stopped.cause, ref, ports);
  const baseline = await openDeployedBaseline(config, ports);
  const { summary, outcomes, toConfirm } = await aggregateRun({
    config,
    results: ports.parts.reader(ref).read(run.run_id),
    baseline: baseline.run,
    notes: baseline.notes,
    finishedAt: new Date(ports.clock.now()).toISOString(),
    stopped,
    canaries: run.canaries ?? null,
    rows: () => runs.read(run.run_id, 'rows.jsonl'),
  });
  if (toConfirm.length > 0 && input.confirmed !== true) {
    const confirm = await itemsOf(toConfirm, run.run_id, runs);
    return { run_id: run.run_id, project: run.project, status: run.status, gate: 'pending', confirm };
  }
  await runs.write(run.run_id, 'outcomes.jsonl.gz', gzipped(outcomes));
  await runs.write(run.run_id, 'summary.json', `${JSON.stringify(summary, null, 2)}\n`);
  await writeReports(config, summary, ref, baseline.run?.config ?? null, ports);
  await writeTables(summary, ref, runs, ports);
  await ports.registry.updateRun(run.run_id, ['queued', 'running'], {
    status: summary.status,
    message: summary.message,
    decision: summary.decision,
    score: summary.score,
    pass_rate: summary.pass_rate,
    finished_at: summary.finished_at,
    figures: figuresOf(summary),
    announce_pending: true,
  });
  const closed = await ports.registry.getRun(run.run_id);
  if (closed !== null) await announceRun(closed, ports);
  return decided(run, closed?.status ?? summary.status);
}

function decided({ run_id, project }: RunRecord, status: RunRecord['status']): AggregateReport {
  const gate = status === 'passed' ? 'pass' : status === 'failed' ? 'fail' : 'error';
  return { run_id, project, status, gate, confirm: [] };
}

/** Where the rows lie in rows.jsonl, which only the file knows. */
async function itemsOf(wanted: readonly RowToConfirm[], runId: string, runs: RunStore): Promise<RowItem[]> {
  const wantedAt = new Map(wanted.map((row) => [row.index, row]));
  const rows = await runs.read(runId, 'rows.jsonl');
  const items: RowItem[] = [];
  if (rows === null) return items;
  for await (const lines of lineBatches(rows)) {
    for (const line of lines) {
      const { index, offset = 0 } = JSON.parse(line) as Row;
      const row = wantedAt.get(index);
      if (row !== undefined) items.push({ index, offset, targets: [...row.targets], blame_at: row.blameAt });
    }
    if (items.length === wanted.length) break;
  }
  return items;
}

/** What Athena reads beside the results. The outcomes come from their file: they are told only once. */
async function writeTables(summary: RunSummary, ref: RunRef, runs: RunStore, { parts }: DeployedPorts): Promise<void> {
  await parts.writeTable(ref, 'row_outcomes', rowOutcomeLines(summary, runs));
  await parts.writeTable(ref, 'runs', [runLine(summary)]);
}

async function* rowOutcomeLines(summary: RunSummary, runs: RunStore): AsyncGenerator<string> {
  const packed = await runs.read(summary.run_id, 'outcomes.jsonl.gz');
  if (packed === null) throw new StorageError(`${runs.locate(summary.run_id, 'outcomes.jsonl.gz')} has vanished`);
  for await (const lines of lineBatches(gunzipped(packed)))
    for (const line of lines) yield rowOutcomeLine(summary, line);
}

async function writeReports(
  config: RunConfig,
  summary: RunSummary,
  ref: RunRef,
  former: RunConfig | null,
  ports: DeployedPorts,
): Promise<void> {
  const results = () => readResults(ports.parts.reader(ref).read(ref.runId));
  const runs = ports.runs(ref.project);
  const context = await deployedReportContext(summary, former, ports);
  await runs.write(ref.runId, 'report.html', renderHtmlReport({ summary, config, results: results(), ...context }));
  await runs.write(ref.runId, 'junit.xml', renderJUnit({ summary, results: results() }));
}

async function* readResults(parts: AsyncIterable<AsyncIterable<Uint8Array>>): AsyncGenerator<RowResult> {
  for await (const chunks of parts) {
    for await (const lines of lineBatches(chunks))
      for (const line of lines) yield unpackResult(JSON.parse(line) as RowResult);
  }
}
