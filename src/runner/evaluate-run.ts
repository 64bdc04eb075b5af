import { ResultLog } from '../adapters/local/result-log.ts';
import { MemorySpendLedger } from '../adapters/memory/memory-spend-ledger.ts';
import { systemClock } from '../adapters/system-clock.ts';
import type { RowToConfirm } from '../core/aggregate/confirm-flips.ts';
import { ConfigError } from '../core/errors.ts';
import { readLines } from '../core/jsonl.ts';
import type { CanaryReport } from '../core/schemas/canaries.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { Row } from '../core/schemas/row.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import { scoringFor } from '../core/scoring/scoring-for.ts';
import type { RunEnvironment } from '../ports/environment.ts';
import type { Target } from '../ports/target.ts';
import {
  checkJudge,
  compromised,
  plantedFailures,
  readCanaries,
  writeCanaries,
} from '../use-cases/judge/check-judge.ts';
import { openMemory, type VerdictMemory } from '../use-cases/judge/verdict-memory.ts';
import { ConfirmSessions } from '../use-cases/rows/confirm-sessions.ts';
import { CutOff } from '../use-cases/rows/cut-off.ts';
import { evaluateRow } from '../use-cases/rows/evaluate-row.ts';
import { evaluateRows, type RowTask } from '../use-cases/rows/evaluate-rows.ts';
import { skippedResult } from '../use-cases/rows/row-result.ts';
import { type EarlierSpending, openSpending, type RowSpending } from '../use-cases/rows/row-spending.ts';
import { RunGuard } from '../use-cases/rows/run-guard.ts';
import { watchRun } from '../use-cases/rows/run-watch.ts';
import { readResults } from './former-run.ts';
import type { LocalRunContext, Stopped } from './local-run-context.ts';

/** What attempts before this one did. */
export interface EarlierAttempts {
  /** The `resultKey` of each result that stands. */
  readonly done: ReadonlySet<string>;
  readonly spending: EarlierSpending;
}

/** One local run's rows → results.jsonl: those of the manifest, then those that are tried again. */
export class RunEvaluation {
  private readonly run: RunConfig;
  private readonly environment: RunEnvironment;
  private readonly context: LocalRunContext;
  private readonly done: ReadonlySet<string>;
  private readonly guard: RunGuard;
  private readonly memory: VerdictMemory | undefined;
  private readonly deadlineMs: number;
  private readonly earlier: EarlierSpending;
  private spending: RowSpending | null = null;

  constructor(run: RunConfig, environment: RunEnvironment, earlier: EarlierAttempts, context: LocalRunContext) {
    this.run = run;
    this.environment = environment;
    this.done = earlier.done;
    this.earlier = earlier.spending;
    this.context = context;
    this.memory = openMemory(run.eval, environment.judges, context.workspace.verdicts);
    this.deadlineMs = systemClock.monotonicMs() + run.eval.time_budget_s * 1000;
    this.guard = new RunGuard(
      environment.targets.map((target) => target.id),
      { deadlineMs: this.deadlineMs },
    );
  }

  /** Planted answers, then every row of the manifest. Gives why no further row was started; null when all were. */
  async evaluate(): Promise<Stopped> {
    const known = await readCanaries(this.run.run_id, this.context.workspace.runs);
    this.spending = await this.openSpending(known);
    await this.checkJudge(known);
    await this.evaluatePhase('main', this.manifestRows());
    return this.guard.stopped;
  }

  /**
   * Flipped rows once more, within what is left of time and money. Running out of these leaves rows unconfirmed and does
   * not stop the run, whose rows have all been evaluated; only cancelling does.
   */
  async confirm(rows: readonly RowToConfirm[]): Promise<Stopped> {
    const wanted = new Map(rows.map((row) => [row.index, row]));
    const { confirm_trials: trials } = this.run.eval;
    this.context.onConfirm?.(rows.length, trials);
    const sessions = new ConfirmSessions({ trials, blameAt: (index) => wanted.get(index)?.blameAt ?? trials });
    if (this.done.size > 0) await this.noteEarlierTrials(sessions);
    await this.evaluatePhase('confirm', this.manifestRows(wanted), {
      sessions,
      wants: (row, target) => {
        const positions = wanted.get(row.index)?.targets ?? [];
        return positions.some((position) => this.environment.targets[position]?.id === target.id);
      },
    });
    return this.context.cancel.aborted ? { cause: 'cancelled', why: 'cancelled' } : null;
  }

  private async noteEarlierTrials(sessions: ConfirmSessions): Promise<void> {
    for await (const result of readResults(this.run.run_id, this.context.workspace.runs)) {
      if (result.phase === 'confirm') sessions.note(result);
    }
  }

  /** In this process there is one batch only, so that its ledger costs nothing. */
  private openSpending(known: CanaryReport | null): Promise<RowSpending | null> {
    const { run, context, earlier } = this;
    const ofCanaries = known?.cost.status === 'metered' ? known.cost.usd : 0;
    return openSpending({
      run,
      ledger: new MemorySpendLedger(),
      part: 0,
      prices: context.prices,
      concurrency: 1,
      clock: systemClock,
      earlier: { ...earlier, spentUsd: earlier.spentUsd + ofCanaries },
    });
  }

  /** Before the first row of a run; a resumed one has been checked. */
  private async checkJudge(known: CanaryReport | null): Promise<void> {
    const { run, environment, context, guard, done, spending } = this;
    let report = known;
    if (report === null) {
      if (done.size > 0 || context.cancel.aborted) return;
      const ask = () => checkJudge(run, { ...environment, signal: context.cancel });
      const asked = await (spending?.forCanaries(ask) ?? ask());
      if (asked === 'refused') guard.stop('cost cap', spending?.why ?? '');
      if (asked === null || asked === 'refused') return;
      report = asked;
      await writeCanaries(run.run_id, report, context.workspace.runs);
    }
    guard.notePlanted(plantedFailures(report, environment.judges.length));
    const why = compromised(report);
    if (why !== null) guard.stop('judge compromised', why);
  }

  private async evaluatePhase(
    phase: RowResult['phase'],
    rows: AsyncIterable<Row>,
    again?: { readonly sessions: ConfirmSessions; wants(row: Row, target: Target): boolean },
  ): Promise<void> {
    const { run, environment, context, guard, done, memory } = this;
    const { targets, judges, redact, expressions } = environment;
    const cancel = () => guard.stop('cancelled', 'cancelled');
    if (context.cancel.aborted) cancel();
    context.cancel.addEventListener('abort', cancel, { once: true });
    const log = await ResultLog.open(context.workspace.runs.locate(run.run_id, 'results.jsonl'));
    const scoring = scoringFor(run.eval.type);
    const cutOff = new CutOff();
    const { signal } = cutOff;
    environment.pacing?.waitWhile(() => guard.stopped === null && systemClock.monotonicMs() < this.deadlineMs);
    const endWatch = watchRun({ guard, cutOff, clock: systemClock, deadlineMs: this.deadlineMs });
    try {
      await evaluateRows({
        rows,
        targets,
        // Further trials follow one another.
        trials: phase === 'main' ? run.eval.trials : 1,
        phase,
        concurrency: run.eval.concurrency,
        guard,
        spending: this.spending,
        pacing: environment.pacing,
        clock: systemClock,
        evaluate: (task, onAnswer) =>
          evaluateRow(task, { run, scoring, judges, redact, signal, expressions, memory }, onAnswer),
        skip: (task, cause) => skippedResult(task, run, cause),
        ...(again === undefined ? {} : { wants: again.wants, next: (task: RowTask) => again.sessions.next(task) }),
        isDone: ({ row, target, trial }) => done.size > 0 && done.has(keyOf(row.index, target.id, trial, phase)),
        onResult(result) {
          context.onResult?.(result);
          again?.sessions.note(result);
          return log.append(result);
        },
      });
    } finally {
      await endWatch();
      context.cancel.removeEventListener('abort', cancel);
      await log.close();
    }
  }

  private async *manifestRows(only?: ReadonlyMap<number, unknown>): AsyncGenerator<Row> {
    const { run, context } = this;
    const chunks = await context.workspace.runs.read(run.run_id, 'rows.jsonl');
    if (chunks === null)
      throw new ConfigError([{ message: `run ${run.run_id} has no rows.jsonl`, fix: 'start a new run' }]);
    for await (const line of readLines(chunks)) {
      const row = JSON.parse(line) as Row;
      if (only === undefined || only.has(row.index)) yield row;
    }
  }
}

/** What tells one result of a run from another. */
export const resultKey = ({ index, target, trial, phase }: RowResult): string => keyOf(index, target, trial, phase);

const keyOf = (index: number, targetId: string, trial: number, phase: RowResult['phase']): string =>
  `${index} ${targetId} ${trial} ${phase}`;
