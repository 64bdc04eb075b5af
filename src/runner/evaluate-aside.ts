import { randomBytes } from 'node:crypto';
import { createEnvironment } from '../adapters/build-environment.ts';
import { openDatasetFile } from '../adapters/local/dataset-file.ts';
import { JavaScriptEvaluator } from '../adapters/local/javascript-evaluator.ts';
import { LocalSecrets } from '../adapters/local/secrets.ts';
import { MemoryRunStore } from '../adapters/memory/memory-run-store.ts';
import { MemorySpendLedger } from '../adapters/memory/memory-spend-ledger.ts';
import { systemClock } from '../adapters/system-clock.ts';
import type { PriceTable } from '../core/cost/price-table.ts';
import { readLines } from '../core/jsonl.ts';
import { makeRunId } from '../core/run-id.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';
import type { RowResult, SkipCause } from '../core/schemas/result.ts';
import type { Row } from '../core/schemas/row.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import { scoringFor } from '../core/scoring/scoring-for.ts';
import type { Judge } from '../ports/judge.ts';
import { prepareRun } from '../use-cases/prepare/prepare-run.ts';
import { evaluateRow } from '../use-cases/rows/evaluate-row.ts';
import { evaluateRows } from '../use-cases/rows/evaluate-rows.ts';
import { skippedResult } from '../use-cases/rows/row-result.ts';
import { openSpending } from '../use-cases/rows/row-spending.ts';
import { RunGuard } from '../use-cases/rows/run-guard.ts';
import { checkReplayedRuns, formerVerdicts } from './former-run.ts';
import type { LoadedEval } from './load-eval.ts';
import type { Workspace } from './workspace.ts';

export interface AsideContext {
  readonly workspace: Pick<Workspace, 'runs'>;
  readonly prices: PriceTable;
  readonly cancel: AbortSignal;
  onStart?(run: RunConfig): void;
  onResult?(result: RowResult): void;
  /** What stands before a judge, to see what it is asked. */
  wrapJudge?(judge: Judge): Judge;
}

export interface EvaluatedAside {
  readonly run: RunConfig;
  readonly results: readonly RowResult[];
  /** How long each result took from question to scores, in ms, in the same order. */
  readonly durationsMs: readonly number[];
  readonly stopped: { readonly cause: SkipCause; readonly why: string } | null;
}

/**
 * Asks targets and judges as a run does and keeps nothing: no folder, no place among the runs to compare with. For few rows,
 * since all results are held in memory. Throws ConfigError or DatasetError before anything is spent.
 */
export async function evaluateAside(
  config: EvalConfig,
  source: Pick<LoadedEval, 'folder' | 'datasetPath' | 'datasetId'>,
  context: AsideContext,
): Promise<EvaluatedAside> {
  const { runs: former } = context.workspace;
  await checkReplayedRuns(config.judges, former);
  const environment = await createEnvironment(config, {
    secrets: new LocalSecrets({ folder: source.folder }),
    prices: context.prices,
    loopback: true,
    env: process.env,
    openFormerRun: (runId) => formerVerdicts(runId, former),
    createExpressions: () => new JavaScriptEvaluator(),
  });
  try {
    const runs = new MemoryRunStore();
    const startedAtMs = systemClock.now();
    const judges = environment.judges.map((judge) => context.wrapJudge?.(judge) ?? judge);
    const run = await prepareRun(
      {
        runId: makeRunId(startedAtMs, randomBytes(10)),
        project: 'local',
        evalVersion: 0,
        config,
        datasetId: source.datasetId,
        openDataset: () => openDatasetFile(source.datasetPath),
        startedAt: new Date(startedAtMs).toISOString(),
        ref: null,
        sha: null,
        triggeredBy: null,
        warnings: [],
      },
      { ...environment, runs, scoring: scoringFor(config.type), judges, prices: context.prices },
    );
    context.onStart?.(run);
    return await evaluateAll(run, runs, { ...environment, judges }, context);
  } finally {
    await environment.close();
  }
}

async function evaluateAll(
  run: RunConfig,
  runs: MemoryRunStore,
  { targets, judges, redact, expressions, pacing }: Awaited<ReturnType<typeof createEnvironment>>,
  context: AsideContext,
): Promise<EvaluatedAside> {
  const { eval: config } = run;
  const clock = systemClock;
  const deadlineMs = clock.monotonicMs() + config.time_budget_s * 1000;
  const guard = new RunGuard(
    targets.map((target) => target.id),
    { deadlineMs },
  );
  pacing?.waitWhile(() => guard.stopped === null && clock.monotonicMs() < deadlineMs);
  const ledger = new MemorySpendLedger();
  const spending = await openSpending({ run, ledger, part: 0, prices: context.prices, concurrency: 1, clock });
  const cancel = () => guard.stop('cancelled', 'cancelled');
  if (context.cancel.aborted) cancel();
  context.cancel.addEventListener('abort', cancel, { once: true });
  const ports = {
    run,
    scoring: scoringFor(config.type),
    judges,
    redact,
    signal: new AbortController().signal,
    expressions,
  };
  const results: RowResult[] = [];
  const durationsMs: number[] = [];
  try {
    await evaluateRows({
      rows: rowsOf(run, runs),
      targets,
      trials: config.trials,
      concurrency: config.concurrency,
      guard,
      spending,
      pacing,
      clock,
      async evaluate(task, onAnswer) {
        const began = clock.monotonicMs();
        const result = await evaluateRow(task, ports, onAnswer);
        durationsMs.push(clock.monotonicMs() - began);
        results.push(result);
        context.onResult?.(result);
        return result;
      },
      skip: (task, cause) => skippedResult(task, run, cause),
      onResult() {},
    });
  } finally {
    context.cancel.removeEventListener('abort', cancel);
  }
  return { run, results, durationsMs, stopped: guard.stopped };
}

async function* rowsOf(run: RunConfig, runs: MemoryRunStore): AsyncGenerator<Row> {
  const chunks = await runs.read(run.run_id, 'rows.jsonl');
  if (chunks === null) return;
  for await (const line of readLines(chunks)) yield JSON.parse(line) as Row;
}
