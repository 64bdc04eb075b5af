import { longestRowMs, MAX_DEPLOYED_ROW_MS } from '../core/plan/longest-row.ts';
import type { RunCounters, RunRecord } from '../core/schemas/registry.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { Row } from '../core/schemas/row.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import type { BatchReport, RowBatchInput, RowItem } from '../core/schemas/workflow.ts';
import { scoringFor } from '../core/scoring/scoring-for.ts';
import type { RunEnvironment } from '../ports/environment.ts';
import type { RunRef } from '../ports/result-parts.ts';
import type { Workflow } from '../ports/workflow.ts';
import { countersOf, NO_COUNTERS } from './batch-counters.ts';
import { checkJudgeOnce, openBatchGuard } from './batch-guard.ts';
import { readBatchRows } from './batch-rows.ts';
import { ConfirmSessions } from './confirm-sessions.ts';
import { type DeployedPorts, isFinal, loadRun, readRunConfig } from './deployed.ts';
import { evaluateRow, skippedResult } from './evaluate-row.ts';
import { evaluateRows, type RowTask } from './evaluate-rows.ts';
import { type BatchLimits, planOf } from './prepare-deployed-run.ts';
import { resumeIfRedriven } from './redrive.ts';
import { PROBE_ROWS, type RunGuard } from './run-guard.ts';
import { openMemory } from './verdict-memory.ts';

export interface EvaluateBatchPorts extends DeployedPorts {
  readonly workflow: Workflow;
  readonly limits: BatchLimits;
  /** Milliseconds this invocation has left. */
  remainingMs(): number;
  /** Told once a batch, at its end, what this delivery added. */
  onBatch?(added: RunCounters): void;
}

/** A finished row is written down at the latest after this long: what a crash can lose is asked again. */
const CHECKPOINT_MS = 15_000;
/** Time to write the part and answer the state machine. */
const WRAP_UP_MS = 20_000;
/** A cancel or a stop elsewhere is seen after this long. */
const RUN_CHECK_MS = 5_000;

/**
 * Parts of rows that are tried again stand behind those of the manifest, which has 10 million rows at most:
 * `part-90000017` holds the further trials of row 17 and of those that were asked with it.
 */
const CONFIRM_PARTS = 90_000_000;

/**
 * One item of the Map, the probe, or rows that are tried again: rows → target → judge → scores → one part of results.
 * A batch that is delivered again reads its part first and asks nothing twice; the part is rewritten whole.
 */
export async function evaluateBatch(batch: RowBatchInput, ports: EvaluateBatchPorts): Promise<BatchReport> {
  const run = await resumeIfRedriven((await loadRun(batch.run_id, ports)).run, ports);
  const firstIndex = batch.items[0]?.index ?? 0;
  const report = { run_id: run.run_id, first_index: firstIndex, done: 0, stop: null, remaining: [] };
  if (isFinal(run)) return countLate(run, batch, report, ports);
  const config = await readRunConfig(run, ports);
  const rows = await readBatchRows(batch, config, ports);
  const inFlight = batch.phase === 'confirm' ? loneInFlight(config, ports) : planOf(config, ports.limits).inFlight;
  const environment = await ports.openEnvironment(run.project, config.eval, { concurrency: inFlight });
  try {
    return await new BatchRun(run, config, batch, rows, environment, ports).execute(inFlight);
  } finally {
    await environment.close();
  }
}

/** A result that comes after the gate changes nothing; that it came is counted. */
async function countLate(
  run: RunRecord,
  batch: RowBatchInput,
  report: BatchReport,
  { registry, parts }: DeployedPorts,
): Promise<BatchReport> {
  if (batch.phase === 'confirm') return { ...report, stop: { cause: 'stopped', why: 'the run is over' } };
  const ref = { runId: run.run_id, project: run.project, startedAt: run.started_at };
  const counted = countersOf((await parts.read(ref, report.first_index)) ?? []);
  const counters = { ...counted, late: batch.items.length };
  await registry.putBatchCounters(run.run_id, report.first_index, counters);
  return { ...report, stop: { cause: 'stopped', why: 'the run is over' } };
}

/** This batch has the run to itself. */
function loneInFlight({ eval: { concurrency } }: RunConfig, { limits }: EvaluateBatchPorts): number {
  return Math.min(concurrency, limits.maxInFlight);
}

/** One delivery of one batch. */
class BatchRun {
  private readonly run: RunRecord;
  private readonly config: RunConfig;
  private readonly phase: RowResult['phase'];
  /** Items by row, where not all targets are asked, or where rows are tried again. */
  private readonly itemOf: ReadonlyMap<number, RowItem>;
  private readonly sessions: ConfirmSessions | null;
  private readonly rows: readonly Row[];
  private readonly environment: RunEnvironment;
  private readonly ports: EvaluateBatchPorts;
  private readonly ref: RunRef;
  private readonly results = new Map<string, RowResult>();
  private readonly readBackKeys = new Set<string>();
  private unsaved = 0;
  private savedAtMs: number;
  private checkedAtMs: number;
  private savedOnce = false;
  private saving: Promise<void> = Promise.resolve();
  private absorbed: readonly Remainder[] = [];

  constructor(
    run: RunRecord,
    config: RunConfig,
    batch: RowBatchInput,
    rows: readonly Row[],
    environment: RunEnvironment,
    ports: EvaluateBatchPorts,
  ) {
    this.run = run;
    this.config = config;
    this.phase = batch.phase ?? 'main';
    this.itemOf = new Map(batch.items.flatMap((item) => (item.targets ? [[item.index, item]] : [])));
    this.sessions = this.phase === 'confirm' ? this.openSessions() : null;
    this.rows = rows;
    this.environment = environment;
    this.ports = ports;
    this.ref = { runId: run.run_id, project: run.project, startedAt: run.started_at };
    this.savedAtMs = ports.clock.monotonicMs();
    this.checkedAtMs = this.savedAtMs;
  }

  async execute(concurrency: number): Promise<BatchReport> {
    const { config, environment, ports } = this;
    await this.readBack();
    const of = { run: this.run, config, environment, phase: this.phase };
    const guard = await openBatchGuard(of, [...this.results.values()], ports);
    if (this.run.cancel_requested) guard.stop('cancelled', 'cancelled');
    else if (this.partIndex === 0) await checkJudgeOnce(of, guard, ports);
    const scoring = scoringFor(config.eval.type);
    const signal = new AbortController().signal;
    const memory = openMemory(config.eval, environment.judges, ports.verdicts?.(config.project));
    const reserveMs = Math.min(longestRowMs(config.eval), MAX_DEPLOYED_ROW_MS) + WRAP_UP_MS;
    const { remaining } = await evaluateRows({
      rows: this.watchedRows(guard),
      targets: environment.targets,
      // Further trials follow one another.
      trials: this.sessions === null ? config.eval.trials : 1,
      phase: this.phase,
      concurrency,
      guard,
      clock: ports.clock,
      evaluate: (task, onAnswer) =>
        evaluateRow(
          task,
          { run: config, scoring, judges: environment.judges, redact: environment.redact, signal, memory },
          onAnswer,
        ),
      skip: (task, cause) => skippedResult(task, config, cause),
      wants: (row, target) => this.asks(row, target.id),
      isDone: (task) => this.results.has(keyOf(task)),
      next: (task) => this.sessions?.next(task) ?? null,
      onResult: (result) => this.add(result),
      mustHandBack: () => guard.stopped === null && ports.remainingMs() < reserveMs,
    });
    await this.save();
    await this.emptyAbsorbed();
    ports.onBatch?.(countersOf(this.inOrder().filter((result) => !this.readBackKeys.has(resultKey(result)))));
    return {
      run_id: this.run.run_id,
      first_index: this.firstIndex,
      done: this.results.size,
      stop: guard.stopped,
      remaining: remaining.map((row) => this.toItem(row)),
    };
  }

  private asks(row: Row, targetId: string): boolean {
    const wanted = this.itemOf.get(row.index)?.targets;
    return wanted === undefined || wanted.some((position) => this.config.eval.targets[position]?.id === targetId);
  }

  private toItem({ index, offset = 0 }: Row): RowItem {
    return { ...this.itemOf.get(index), index, offset };
  }

  private openSessions(): ConfirmSessions {
    const { confirm_trials: trials } = this.config.eval;
    return new ConfirmSessions({ trials, blameAt: (index) => this.itemOf.get(index)?.blame_at ?? trials });
  }

  /** Names the part and the counters of this batch. */
  private get partIndex(): number {
    return this.phase === 'confirm' ? CONFIRM_PARTS + this.firstIndex : this.firstIndex;
  }

  private get firstIndex(): number {
    return this.rows[0]?.index ?? 0;
  }

  /** What an earlier delivery of this batch finished. Skipped rows are tried again: a redrive may have more time. */
  private async readBack(): Promise<void> {
    const earlier = (await this.ports.parts.read(this.ref, this.partIndex)) ?? [];
    this.absorbed = this.partIndex === 0 ? await this.probeRemainders() : [];
    for (const result of [...earlier, ...this.absorbed.flatMap(({ results }) => results)]) {
      if (result.status === 'skipped') continue;
      this.results.set(resultKey(result), result);
      this.sessions?.note(result);
    }
    for (const key of this.results.keys()) this.readBackKeys.add(key);
  }

  /** Rows that the probe's Lambda handed back were a batch of their own; the Map's first batch holds them again. */
  private async probeRemainders(): Promise<readonly Remainder[]> {
    const firsts = this.rows.slice(1, PROBE_ROWS).map((row) => row.index);
    const found = await Promise.all(
      firsts.map(async (firstIndex) => ({ firstIndex, results: await this.ports.parts.read(this.ref, firstIndex) })),
    );
    return found.flatMap(({ firstIndex, results }) =>
      results === null || results.length === 0 ? [] : [{ firstIndex, results }],
    );
  }

  /** Once this batch's part holds their results, theirs must not: what is paid once would be counted twice. */
  private async emptyAbsorbed(): Promise<void> {
    for (const { firstIndex } of this.absorbed) {
      await this.ports.parts.write(this.ref, firstIndex, []);
      await this.ports.registry.putBatchCounters(this.run.run_id, firstIndex, NO_COUNTERS);
    }
  }

  /** Looks up every few seconds whether somebody cancelled the run. */
  private async *watchedRows(guard: RunGuard): AsyncGenerator<Row> {
    for (const row of this.rows) {
      const nowMs = this.ports.clock.monotonicMs();
      if (nowMs - this.checkedAtMs > RUN_CHECK_MS) {
        this.checkedAtMs = nowMs;
        const run = await this.ports.registry.getRun(this.run.run_id);
        if (run === null || run.cancel_requested || isFinal(run)) guard.stop('cancelled', 'cancelled');
      }
      yield row;
    }
  }

  private add(result: RowResult): Promise<void> | void {
    this.results.set(resultKey(result), result);
    this.sessions?.note(result);
    this.unsaved += 1;
    if (this.ports.clock.monotonicMs() - this.savedAtMs < CHECKPOINT_MS) return;
    this.savedAtMs = this.ports.clock.monotonicMs();
    return this.save();
  }

  /** Part first, since it is the truth; then the index; then the counters, which say how far the part is. */
  private save(): Promise<void> {
    this.saving = this.saving.then(async () => {
      if (this.unsaved === 0 && this.savedOnce) return;
      this.unsaved = 0;
      const results = this.inOrder();
      const part = await this.ports.parts.write(this.ref, this.partIndex, results);
      await this.ports.rowIndex.put(this.run.run_id, part, results);
      await this.ports.registry.putBatchCounters(this.run.run_id, this.partIndex, this.countersFor(results));
      this.savedOnce = true;
    });
    return this.saving;
  }

  /** The manifest's results are counted already when rows are tried again; only the money is new. */
  private countersFor(results: readonly RowResult[]): RunCounters {
    const counters = countersOf(results);
    return this.phase === 'confirm' ? { ...NO_COUNTERS, cost_usd: counters.cost_usd } : counters;
  }

  private inOrder(): readonly RowResult[] {
    const order = new Map(this.environment.targets.map((target, at) => [target.id, at]));
    return [...this.results.values()].sort(
      (a, b) => a.index - b.index || a.trial - b.trial || (order.get(a.target) ?? 0) - (order.get(b.target) ?? 0),
    );
  }
}

interface Remainder {
  readonly firstIndex: number;
  readonly results: readonly RowResult[];
}

const keyOf = ({ row, target, trial }: RowTask): string => `${row.index} ${trial} ${target.id}`;
const resultKey = (result: RowResult): string => `${result.index} ${result.trial} ${result.target}`;
