import { longestRowMs, MAX_DEPLOYED_ROW_MS } from '../../core/plan/longest-row.ts';
import type { RunCounters, RunRecord } from '../../core/schemas/registry.ts';
import type { RowResult, SkipCause } from '../../core/schemas/result.ts';
import type { Row } from '../../core/schemas/row.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import type { BatchReport, RowBatchInput, RowItem } from '../../core/schemas/workflow.ts';
import { scoringFor } from '../../core/scoring/scoring-for.ts';
import type { RunEnvironment } from '../../ports/environment.ts';
import type { ThrottleCounts } from '../../ports/pacing.ts';
import type { SpendLedger } from '../../ports/spend-ledger.ts';
import type { Workflow } from '../../ports/workflow.ts';
import { type DeployedPorts, isFinal, loadRun, readRunConfig } from '../deployed.ts';
import { resumeIfRedriven } from '../end/redrive.ts';
import { openMemory } from '../judge/verdict-memory.ts';
import { type BatchLimits, planOf } from '../prepare/prepare-deployed-run.ts';
import { countersOf } from './batch-counters.ts';
import { checkJudgeOnce, deadlineOf, openBatchGuard } from './batch-guard.ts';
import { BatchPart } from './batch-part.ts';
import { readBatchRows } from './batch-rows.ts';
import { ConfirmSessions } from './confirm-sessions.ts';
import { CutOff } from './cut-off.ts';
import { evaluateRow } from './evaluate-row.ts';
import { evaluateRows } from './evaluate-rows.ts';
import { skippedResult } from './row-result.ts';
import { openSpending, type RowSpending } from './row-spending.ts';
import type { RunGuard } from './run-guard.ts';
import { watchRun } from './run-watch.ts';
import { ThrottleNote } from './throttle-note.ts';

export interface EvaluateBatchPorts extends DeployedPorts {
  readonly workflow: Workflow;
  /** Asked only of runs with a hard cost cap. */
  readonly ledger: SpendLedger;
  readonly limits: BatchLimits;
  /** Milliseconds this invocation has left. */
  remainingMs(): number;
  /** Told once a batch, at its end, how many requests were throttled. */
  onThrottled?(counts: ThrottleCounts): void;
  /** Told once a batch, at its end, what this delivery added. */
  onBatch?(added: RunCounters): void;
}

/** Time to write the part and answer the state machine. */
const WRAP_UP_MS = 20_000;

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
  const note = new ThrottleNote(run, ports.registry);
  const environment = await ports.openEnvironment(run.project, config.eval, { concurrency: inFlight, ...note.use });
  try {
    return await new BatchRun(run, config, batch, rows, environment, ports).execute(inFlight);
  } finally {
    await environment.close();
    await note.written();
    if (environment.pacing !== undefined) ports.onThrottled?.(environment.pacing.throttled);
  }
}

/** A result that comes after the gate changes nothing; that it came is counted. */
async function countLate(
  run: RunRecord,
  batch: RowBatchInput,
  report: BatchReport,
  { registry, parts }: DeployedPorts,
): Promise<BatchReport> {
  if (batch.phase === 'confirm') return { ...report, stop: RUN_IS_OVER };
  const ref = { runId: run.run_id, project: run.project, startedAt: run.started_at };
  const counted = countersOf((await parts.read(ref, report.first_index)) ?? []);
  const counters = { ...counted, late: batch.items.length };
  await registry.putBatchCounters(run.run_id, report.first_index, counters);
  return { ...report, stop: RUN_IS_OVER };
}

interface Stop {
  readonly cause: SkipCause;
  readonly why: string;
}

const RUN_IS_OVER: Stop = { cause: 'stopped', why: 'the run is over' };
const CANCELLED: Stop = { cause: 'cancelled', why: 'cancelled' };

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
  private readonly rows: readonly Row[];
  private readonly environment: RunEnvironment;
  private readonly ports: EvaluateBatchPorts;

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
    this.rows = rows;
    this.environment = environment;
    this.ports = ports;
  }

  async execute(concurrency: number): Promise<BatchReport> {
    const { run, config, environment, ports, phase, rows } = this;
    const targetIds = environment.targets.map(({ id }) => id);
    const part = await BatchPart.open({ run, phase, rows, targetIds }, ports);
    const of = { run, config, environment, phase };
    const guard = await openBatchGuard(of, part.inOrder(), ports);
    if (run.cancel_requested) guard.stop(CANCELLED.cause, CANCELLED.why);
    const spending = guard.stopped === null ? await this.openSpending(part.index, concurrency) : null;
    let remaining: readonly Row[];
    try {
      if (part.index === 0 && guard.stopped === null) await checkJudgeOnce(of, guard, spending, ports);
      remaining = await this.evaluate(part, guard, spending, concurrency);
      await part.close();
    } finally {
      await spending?.close();
    }
    ports.onBatch?.(part.added());
    return {
      run_id: run.run_id,
      first_index: rows[0]?.index ?? 0,
      done: part.size,
      stop: guard.stopped,
      remaining: remaining.map((row) => this.toItem(row)),
    };
  }

  private async evaluate(
    part: BatchPart,
    guard: RunGuard,
    spending: RowSpending | null,
    concurrency: number,
  ): Promise<readonly Row[]> {
    const { run, config, environment, ports, phase } = this;
    const { judges, redact } = environment;
    const cutOff = new CutOff();
    const memory = openMemory(config.eval, judges, ports.verdicts?.(config.project));
    const row = { run: config, scoring: scoringFor(config.eval.type), judges, redact, signal: cutOff.signal, memory };
    const sessions = phase === 'confirm' ? this.openSessions(part.inOrder()) : null;
    const reserveMs = Math.min(longestRowMs(config.eval), MAX_DEPLOYED_ROW_MS) + WRAP_UP_MS;
    environment.pacing?.waitWhile(() => guard.stopped === null && ports.remainingMs() >= reserveMs);
    const endWatch = watchRun({
      guard,
      cutOff,
      clock: ports.clock,
      deadlineMs: deadlineOf(run, config, ports.clock),
      stoppedElsewhere: () => this.stoppedElsewhere(),
    });
    try {
      const { remaining } = await evaluateRows({
        rows: each(this.rows),
        targets: environment.targets,
        // Further trials follow one another.
        trials: sessions === null ? config.eval.trials : 1,
        phase,
        concurrency,
        guard,
        spending,
        pacing: environment.pacing,
        clock: ports.clock,
        evaluate: (task, onAnswer) => evaluateRow(task, row, onAnswer),
        skip: (task, cause) => skippedResult(task, config, cause),
        wants: ({ index }, target) => this.asks(index, target.id),
        isDone: (task) => part.has(task),
        next: (task) => sessions?.next(task) ?? null,
        onResult: (result) => {
          sessions?.note(result);
          return part.add(result);
        },
        mustHandBack: () => guard.stopped === null && ports.remainingMs() < reserveMs,
      });
      return remaining;
    } finally {
      await endWatch();
    }
  }

  private openSpending(part: number, concurrency: number): Promise<RowSpending | null> {
    const { config: run, ports } = this;
    const { ledger, prices, clock } = ports;
    return openSpending({ run, ledger, part, prices, concurrency, clock });
  }

  private async stoppedElsewhere(): Promise<Stop | null> {
    const run = await this.ports.registry.getRun(this.run.run_id);
    if (run?.cancel_requested === true) return CANCELLED;
    return run === null || isFinal(run) ? RUN_IS_OVER : null;
  }

  private openSessions(earlier: readonly RowResult[]): ConfirmSessions {
    const { confirm_trials: trials } = this.config.eval;
    const sessions = new ConfirmSessions({ trials, blameAt: (index) => this.itemOf.get(index)?.blame_at ?? trials });
    for (const result of earlier) sessions.note(result);
    return sessions;
  }

  private asks(index: number, targetId: string): boolean {
    const wanted = this.itemOf.get(index)?.targets;
    return wanted === undefined || wanted.some((position) => this.config.eval.targets[position]?.id === targetId);
  }

  private toItem({ index, offset = 0 }: Row): RowItem {
    return { ...this.itemOf.get(index), index, offset };
  }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
