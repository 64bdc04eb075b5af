import { ResultLog } from '../adapters/local/result-log.ts';
import { systemClock } from '../adapters/system-clock.ts';
import type { RowToConfirm } from '../core/aggregate/confirm-flips.ts';
import { ConfigError } from '../core/errors.ts';
import { readLines } from '../core/jsonl.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { Row } from '../core/schemas/row.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import { scoringFor } from '../core/scoring/scoring-for.ts';
import type { RunEnvironment } from '../ports/environment.ts';
import type { Target } from '../ports/target.ts';
import { checkJudge, compromised, plantedFailures, readCanaries, writeCanaries } from '../use-cases/check-judge.ts';
import { ConfirmSessions } from '../use-cases/confirm-sessions.ts';
import { evaluateRow, skippedResult } from '../use-cases/evaluate-row.ts';
import { evaluateRows, type RowTask } from '../use-cases/evaluate-rows.ts';
import { RunGuard } from '../use-cases/run-guard.ts';
import { openMemory, type VerdictMemory } from '../use-cases/verdict-memory.ts';
import { readResults } from './former-run.ts';
import type { LocalRunContext, Stopped } from './local-run-context.ts';

/** One local run's rows → results.jsonl: those of the manifest, then those that are tried again. */
export class RunEvaluation {
  private readonly run: RunConfig;
  private readonly environment: RunEnvironment;
  private readonly context: LocalRunContext;
  private readonly done: ReadonlySet<string>;
  private readonly guard: RunGuard;
  private readonly memory: VerdictMemory | undefined;

  /** `done` holds the `resultKey` of what an earlier attempt finished. */
  constructor(run: RunConfig, environment: RunEnvironment, done: ReadonlySet<string>, context: LocalRunContext) {
    this.run = run;
    this.environment = environment;
    this.done = done;
    this.context = context;
    this.memory = openMemory(run.eval, environment.judges, context.workspace.verdicts);
    const { time_budget_s, max_cost_usd_hard } = run.eval;
    this.guard = new RunGuard(
      environment.targets.map((target) => target.id),
      { deadlineMs: systemClock.monotonicMs() + time_budget_s * 1000, maxCostUsd: max_cost_usd_hard ?? null },
    );
  }

  /** Planted answers, then every row of the manifest. Gives why no further row was started; null when all were. */
  async evaluate(): Promise<Stopped> {
    await this.checkJudge();
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

  /** Before the first row of a run; a resumed one has been checked. */
  private async checkJudge(): Promise<void> {
    const { run, environment, context, guard, done } = this;
    const { runs } = context.workspace;
    let report = await readCanaries(run.run_id, runs);
    if (report === null) {
      if (done.size > 0 || context.cancel.aborted) return;
      report = await checkJudge(run, { ...environment, signal: context.cancel });
      if (report === null) return;
      await writeCanaries(run.run_id, report, runs);
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
    const signal = new AbortController().signal;
    try {
      await evaluateRows({
        rows,
        targets,
        // Further trials follow one another.
        trials: phase === 'main' ? run.eval.trials : 1,
        phase,
        concurrency: run.eval.concurrency,
        guard,
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
