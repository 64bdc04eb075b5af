import type { PriceTable } from '../core/cost/price-table.ts';
import { ConfigError } from '../core/errors.ts';
import { readText } from '../core/read-text.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';
import type { Project, RunRecord } from '../core/schemas/registry.ts';
import { type RunConfig, RunConfigSchema } from '../core/schemas/run.ts';
import type { Calibrations } from '../ports/calibrations.ts';
import type { Clock } from '../ports/clock.ts';
import type { DatasetStore } from '../ports/dataset-store.ts';
import type { OpenEnvironment } from '../ports/environment.ts';
import type { Registry } from '../ports/registry.ts';
import type { ResultParts } from '../ports/result-parts.ts';
import type { RowIndex } from '../ports/row-index.ts';
import type { RunSlots } from '../ports/run-slots.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { VerdictCache } from '../ports/verdict-cache.ts';
import { withProjectNetworks } from './prepare/project-networks.ts';
import { settleForProject } from './prepare/settle-for-project.ts';

/** What the steps of a deployed run work with; the same on AWS, under `assay dev` and in memory. */
export interface DeployedPorts {
  readonly registry: Registry;
  readonly slots: RunSlots;
  /** Files of a project's runs. */
  runs(project: string): RunStore;
  readonly parts: ResultParts;
  readonly rowIndex: RowIndex;
  readonly datasets: DatasetStore;
  readonly openEnvironment: OpenEnvironment;
  /** Verdicts that a project keeps from run to run. */
  verdicts?(project: string): VerdictCache;
  /** How a project's judges did beside human labels. */
  calibrations(project: string): Calibrations;
  readonly prices: PriceTable;
  readonly clock: Clock;
}

export const FINAL_STATUSES: readonly RunRecord['status'][] = ['passed', 'failed', 'error', 'cancelled'];

export const isFinal = (run: RunRecord): boolean => FINAL_STATUSES.includes(run.status);

/** The run and its project. A run that is unknown is a bug or a deleted project: it throws. */
export async function loadRun(
  runId: string,
  { registry }: Pick<DeployedPorts, 'registry'>,
): Promise<{ run: RunRecord; project: Project }> {
  const run = await registry.getRun(runId);
  if (run === null) throw new ConfigError([{ message: `there is no run "${runId}"` }]);
  const project = await registry.getProject(run.project);
  if (project === null) throw new ConfigError([{ message: `project "${run.project}" does not exist any more` }]);
  return { run, project };
}

/** The configuration of the eval version that the run was started with. Throws ConfigError when it was deleted. */
export async function loadEvalConfig(
  run: RunRecord,
  project: Project,
  { registry }: Pick<DeployedPorts, 'registry'>,
): Promise<EvalConfig> {
  const version = await registry.getEval(run.project, run.eval, run.eval_version);
  if (version === null)
    throw new ConfigError([{ message: `eval "${run.eval}" version ${run.eval_version} was deleted` }]);
  return withProjectNetworks(settleForProject(version.config, project), project);
}

/** `config.json` of a prepared run. */
export async function readRunConfig(
  run: Pick<RunRecord, 'run_id' | 'project'>,
  ports: Pick<DeployedPorts, 'runs'>,
): Promise<RunConfig> {
  const chunks = await ports.runs(run.project).read(run.run_id, 'config.json');
  if (chunks === null) throw new ConfigError([{ message: `run "${run.run_id}" was never prepared` }]);
  return RunConfigSchema.parse(JSON.parse(await readText(chunks)));
}
