import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { createEnvironment } from '../adapters/build-environment.ts';
import { openDatasetFile } from '../adapters/local/dataset-file.ts';
import { JavaScriptEvaluator } from '../adapters/local/javascript-evaluator.ts';
import { pruneResultLog } from '../adapters/local/result-log.ts';
import { lockRun } from '../adapters/local/run-lock.ts';
import { LocalSecrets } from '../adapters/local/secrets.ts';
import { systemClock } from '../adapters/system-clock.ts';
import type { RowToConfirm } from '../core/aggregate/confirm-flips.ts';
import { ConfigError, StorageError } from '../core/errors.ts';
import { makeRunId } from '../core/run-id.ts';
import { RUN_ID_PATTERN, type RunConfig } from '../core/schemas/run.ts';
import { scoringFor } from '../core/scoring/scoring-for.ts';
import type { RunEnvironment } from '../ports/environment.ts';
import { prepareRun } from '../use-cases/prepare/prepare-run.ts';
import { SpendingSoFar } from '../use-cases/rows/row-spending.ts';
import { RunEvaluation, resultKey } from './evaluate-run.ts';
import { type FoundBaseline, findLastPass, findNamedBaseline, isLastPass } from './find-baseline.ts';
import { type FinishedRun, finishRun } from './finish-run.ts';
import { checkOutcomes, checkReplayedRuns, formerVerdicts, readRunConfig } from './former-run.ts';
import { BASELINE_FILE_PREFIX, readImportedBaseline } from './imported-baseline.ts';
import type { LoadedEval } from './load-eval.ts';
import type { LocalRunContext } from './local-run-context.ts';

/** dataset → rows → target → judge → scores → aggregate → gate, in this process. Throws ConfigError or DatasetError before anything is spent. */
export async function startLocalRun(loaded: LoadedEval, context: LocalRunContext): Promise<FinishedRun> {
  try {
    return await start(loaded, context);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(error.faults.map(loaded.locate)) : error;
  }
}

async function start(loaded: LoadedEval, context: LocalRunContext): Promise<FinishedRun> {
  const { workspace } = context;
  const { config } = loaded;
  const named = await findNamedBaseline(config, workspace);
  const environment = await openEnvironment(loaded.folder, config, context);
  try {
    const startedAtMs = systemClock.now();
    const run = await prepareRun(
      {
        runId: makeRunId(startedAtMs, randomBytes(10)),
        project: 'local',
        evalVersion: 0,
        config,
        datasetId: loaded.datasetId,
        openDataset: () => openDatasetFile(loaded.datasetPath),
        startedAt: new Date(startedAtMs).toISOString(),
        ref: context.ref,
        sha: context.sha,
        triggeredBy: null,
        evalFolder: resolve(loaded.folder),
        warnings: loaded.warnings,
      },
      {
        runs: workspace.runs,
        scoring: scoringFor(config.type),
        targets: environment.targets,
        judges: environment.judges,
        prices: context.prices,
        calibrations: workspace.calibrations,
        findSecret: environment.findSecret,
        warnings: environment.warnings,
      },
    );
    const find = async () =>
      isLastPass(config.baseline) ? findLastPass(config.baseline, run, workspace) : { former: named, notes: [] };
    return await evaluateAndFinish(run, find, environment, context);
  } finally {
    await environment.close();
  }
}

/**
 * Goes on with an interrupted run: finished rows are kept, the rest is run under the configuration it started with.
 * A run with nothing left to do gets its summary and reports again. Only the `baseline` may be another one: it
 * changes no answer.
 */
export async function resumeLocalRun(
  runId: string,
  context: LocalRunContext,
  baselineWanted?: string,
): Promise<FinishedRun> {
  const { workspace } = context;
  const run = RUN_ID_PATTERN.test(runId) ? await readRunConfig(runId, workspace.runs) : null;
  if (run === null)
    throw new ConfigError([
      { message: `there is no run "${runId}" to resume`, fix: 'name a folder under .assay/runs' },
    ]);
  const { name, baseline: configured } = run.eval;
  const baseline = baselineWanted ?? configured;
  const named = await findNamedBaseline({ name, baseline }, workspace);
  const find = async () =>
    isLastPass(baseline) ? findLastPass(baseline, run, workspace, runId) : { former: named, notes: [] };
  const environment = await openEnvironment(run.eval_folder ?? '.', run.eval, context);
  try {
    for (const target of environment.targets) await target.check();
    for (const judge of environment.judges) await judge.check();
    return await evaluateAndFinish(run, find, environment, context);
  } finally {
    await environment.close();
  }
}

async function openEnvironment(
  folder: string,
  config: RunConfig['eval'],
  context: LocalRunContext,
): Promise<RunEnvironment> {
  const { runs } = context.workspace;
  await checkReplayedRuns(config.judges, runs);
  return createEnvironment(config, {
    secrets: new LocalSecrets({ folder }),
    prices: context.prices,
    loopback: true,
    env: process.env,
    openFormerRun: (runId) => formerVerdicts(runId, runs),
    createExpressions: () => new JavaScriptEvaluator(),
  });
}

async function evaluateAndFinish(
  run: RunConfig,
  find: () => Promise<FoundBaseline>,
  environment: RunEnvironment,
  context: LocalRunContext,
): Promise<FinishedRun> {
  const { runs } = context.workspace;
  const unlock = await lockRun(runs.locate(run.run_id, 'running.pid'), run.run_id);
  try {
    // Before anything is spent.
    const { former, notes } = await find();
    if (former !== null) await checkOutcomes(former);
    const done = new Set<string>();
    const spending = new SpendingSoFar();
    await pruneResultLog(runs.locate(run.run_id, 'results.jsonl'), (result) => {
      done.add(resultKey(result));
      spending.note(result);
    });
    const isImported = run.eval.baseline.startsWith(BASELINE_FILE_PREFIX);
    const compared = former ?? (isImported ? await readImportedBaseline(run, runs) : null);
    context.onStart?.(run, done.size);
    const evaluation = new RunEvaluation(run, environment, { done, spending }, context);
    const stopped = await evaluation.evaluate();
    const confirm = (rows: readonly RowToConfirm[]) => evaluation.confirm(rows);
    return await finishRun(run, { workspace: context.workspace, baseline: compared, notes, stopped, confirm });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const goOn = `what was written is kept; when the fault is mended, go on with: assay run --resume ${run.run_id}`;
    throw new StorageError(`${error.message}\n${goOn}`, { cause: error });
  } finally {
    await unlock();
  }
}
