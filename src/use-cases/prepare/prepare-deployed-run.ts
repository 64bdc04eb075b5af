import { ConfigError, DatasetError } from '../../core/errors.ts';
import { longestRowMs, MAX_DEPLOYED_ROW_MS } from '../../core/plan/longest-row.ts';
import { planBatches } from '../../core/plan/plan-batches.ts';
import type { EvalConfig } from '../../core/schemas/eval.ts';
import type { DatasetVersion, RunRecord } from '../../core/schemas/registry.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import { type PreparedRun, type RowItem, RowItemSchema, type RunInput } from '../../core/schemas/workflow.ts';
import { scoringFor } from '../../core/scoring/scoring-for.ts';
import type { RunEvents } from '../../ports/run-events.ts';
import type { Workflow } from '../../ports/workflow.ts';
import { type DeployedPorts, isFinal, loadEvalConfig, loadRun, readRunConfig } from '../deployed.ts';
import { closeWithError } from '../end/close-run.ts';
import { resumeIfRedriven } from '../end/redrive.ts';
import { PROBE_ROWS } from '../rows/run-guard.ts';
import { prepareRun } from './prepare-run.ts';

export interface BatchLimits {
  readonly maxBatches: number;
  readonly maxInFlight: number;
}

export interface PrepareDeployedRunPorts extends DeployedPorts {
  readonly workflow: Workflow;
  readonly events: RunEvents;
  readonly limits: BatchLimits;
  /** Key of the run's rows.jsonl in the bucket, for the Map's reader. */
  rowsKey(project: string, runId: string): string;
}

const REFUSED = 'the run could not start: ';

/**
 * First state of the workflow: config and dataset → picked rows in the store, run opened. What is wrong with the
 * configuration ends the run as `error` here, before anything was spent, and the workflow does not go on.
 */
export async function prepareDeployedRun(input: RunInput, ports: PrepareDeployedRunPorts): Promise<PreparedRun> {
  const beganAt = new Date(ports.clock.now()).toISOString();
  const { run: found, project } = await loadRun(input.run_id, ports);
  // What was refused ended well for the workflow: that is never redriven, this step was only repeated.
  const run = found.message.startsWith(REFUSED) ? found : await resumeIfRedriven(found, ports);
  if (isFinal(run) || run.cancel_requested) return refused(run, ports);
  let prepared: RunConfig;
  try {
    const config = await loadEvalConfig(run, project, ports);
    refuseEndlessRows(config);
    prepared = await openRun(run, config, project.default_pass_mark, ports);
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof DatasetError)) throw error;
    await closeWithError(run.run_id, `${REFUSED}${error.message}`, ports);
    return refused(run, ports);
  }
  const { targets, trials } = prepared.eval;
  await ports.registry.updateRun(run.run_id, ['queued', 'running'], {
    status: 'running',
    began_at: run.began_at ?? beganAt,
    total: prepared.rows * targets.length * trials,
  });
  const { batchSize, maxConcurrency } = planOf(prepared, ports.limits);
  return {
    run_id: run.run_id,
    project: run.project,
    proceed: true,
    rows: prepared.rows,
    rows_key: ports.rowsKey(run.project, run.run_id),
    probe: await firstItems(prepared, ports),
    batch_size: batchSize,
    max_concurrency: maxConcurrency,
  };
}

export function planOf(run: RunConfig, limits: BatchLimits) {
  const { concurrency, targets, trials } = run.eval;
  return planBatches({ rows: run.rows, tasksPerRow: targets.length * trials, concurrency, ...limits });
}

/** A row that may outlive its Lambda would be asked again for ever. */
function refuseEndlessRows(config: EvalConfig): void {
  const longestMs = longestRowMs(config);
  if (longestMs <= MAX_DEPLOYED_ROW_MS) return;
  const message = `one row may take ${longestMs / 1000} s (timeout_s × attempts, and the judge's calls); deployed, at most ${MAX_DEPLOYED_ROW_MS / 1000} s`;
  throw new ConfigError([{ field: 'targets', message, fix: 'lower timeout_s or retries' }]);
}

/** A retried step finds the run prepared and leaves it as it is: its rows may be in work already. */
async function openRun(
  run: RunRecord,
  config: EvalConfig,
  projectPassMark: number,
  ports: PrepareDeployedRunPorts,
): Promise<RunConfig> {
  if (run.status === 'running' && run.total !== null) return readRunConfig(run, ports);
  const dataset = await resolveDataset(run.project, config.dataset, ports);
  const environment = await ports.openEnvironment(run.project, config, { concurrency: 1 });
  try {
    return await prepareRun(
      {
        runId: run.run_id,
        project: run.project,
        evalVersion: run.eval_version,
        config,
        datasetId: dataset.id,
        openDataset: async () => {
          const chunks = await ports.datasets.read(run.project, dataset.id, dataset.version);
          if (chunks === null) throw datasetFault(`dataset "${config.dataset}" was deleted`);
          return { name: `${dataset.id}.jsonl`, format: 'rows', chunks };
        },
        startedAt: run.started_at,
        ref: run.ref,
        sha: run.sha,
        triggeredBy: run.triggered_by,
        projectPassMark,
        warnings: [],
      },
      {
        ...environment,
        runs: ports.runs(run.project),
        scoring: scoringFor(config.type),
        prices: ports.prices,
        calibrations: ports.calibrations(run.project),
      },
    );
  } finally {
    await environment.close();
  }
}

/** `dataset` or `dataset@version`. */
async function resolveDataset(
  project: string,
  reference: string,
  { registry }: DeployedPorts,
): Promise<DatasetVersion> {
  const [id = '', version] = reference.split('@');
  const found = await registry.getDataset(project, id, version);
  if (found === null) throw datasetFault(`dataset "${reference}" does not exist in project "${project}"`);
  if (found.status !== 'ready') throw datasetFault(`dataset "${reference}" is ${found.status}`);
  return found;
}

const datasetFault = (message: string): ConfigError =>
  new ConfigError([{ field: 'dataset', message, fix: 'upload it, or name another one in the eval' }]);

async function firstItems(run: RunConfig, ports: PrepareDeployedRunPorts): Promise<RowItem[]> {
  const lines = await ports.runs(run.project).readLines(run.run_id, 'rows.jsonl', { offset: 0, count: PROBE_ROWS });
  return (lines ?? []).map((line) => RowItemSchema.parse(JSON.parse(line)));
}

function refused(run: RunRecord, ports: PrepareDeployedRunPorts): PreparedRun {
  const { run_id, project } = run;
  return {
    run_id,
    project,
    proceed: false,
    rows: 0,
    rows_key: ports.rowsKey(project, run_id),
    probe: [],
    batch_size: 1,
    max_concurrency: 1,
  };
}
