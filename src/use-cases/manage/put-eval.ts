import { parseEvalFile } from '../../core/config/parse-eval.ts';
import { ConfigError, type Fault } from '../../core/errors.ts';
import { canonicalJson, isJsonObject, type JsonObject, sha256Hex } from '../../core/json.ts';
import type { EvalConfig, EvalFile } from '../../core/schemas/eval.ts';
import { type EvalVersion, EvalVersionSchema, type Project } from '../../core/schemas/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Registry } from '../../ports/registry.ts';
import type { Schedules } from '../../ports/schedules.ts';
import { withProjectNetworks } from '../prepare/project-networks.ts';
import { settleForProject } from '../prepare/settle-for-project.ts';
import { ConflictError } from './errors.ts';
import { keepSchedule } from './keep-schedule.ts';
import { findProject } from './put-project.ts';

export interface PutEvalPorts {
  readonly registry: Registry;
  readonly schedules: Schedules;
  readonly clock: Clock;
  /** What is wrong with the eval's requests as they are written. Absent: they are looked at when a run is prepared. */
  writtenFaults?(config: EvalConfig): readonly Fault[];
}

export interface PutEvalRequest {
  readonly project: string;
  /** Name the eval must have; absent: the one in the configuration. */
  readonly name?: string;
  /** The configuration as JSON. */
  readonly raw: unknown;
  /** `create`: refused when the eval exists. `put`: a new version of it, or its first. */
  readonly mode: 'create' | 'put';
}

const ATTEMPTS = 5;

/**
 * Stores a configuration as the newest version of its eval. All that can be known without a run is checked now.
 * Throws ConfigError with every fault, NotFoundError for the project, ConflictError; ScheduleError when it is stored and its schedule is not.
 */
export async function putEval(request: PutEvalRequest, ports: PutEvalPorts): Promise<EvalVersion> {
  const project = await findProject(request.project, ports);
  const config = checkConfig(request, project, ports);
  await checkDataset(project.id, config.dataset, ports);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const newest = await ports.registry.getEval(project.id, config.name);
    if (newest !== null && request.mode === 'create') {
      throw new ConflictError('eval-exists', `eval "${config.name}" exists already; PUT makes a new version of it`);
    }
    const version: EvalVersion = EvalVersionSchema.parse({
      project: project.id,
      name: config.name,
      version: (newest?.version ?? 0) + 1,
      config_hash: sha256Hex(canonicalJson(config)),
      config,
      created_at: new Date(ports.clock.now()).toISOString(),
    });
    if (!(await ports.registry.addEvalVersion(version))) continue;
    await keepSchedule(project.id, config.name, ports, newest);
    return version;
  }
  throw new ConflictError('eval-busy', `others keep changing eval "${config.name}"; try again`);
}

function checkConfig({ name, raw }: PutEvalRequest, project: Project, ports: PutEvalPorts): EvalFile {
  const given: unknown = isJsonObject(raw) && name !== undefined && raw.name === undefined ? { ...raw, name } : raw;
  const config = parseEvalFile(isJsonObject(given) ? withPlainDataset(given, project.id) : given);
  if (name !== undefined && config.name !== name) {
    throw new ConfigError([
      { field: 'name', message: `"${config.name}" is not the eval of this URL`, fix: `name it "${name}"` },
    ]);
  }
  const settled = settleForProject(config, project);
  const faults = ports.writtenFaults?.(withProjectNetworks(settled, project)) ?? [];
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** The API names datasets `<project>.<dataset>`; a configuration may name its own project's like that. */
function withPlainDataset(raw: JsonObject, project: string): JsonObject {
  const { dataset } = raw;
  if (typeof dataset !== 'string' || !dataset.startsWith(`${project}.`)) return raw;
  return { ...raw, dataset: dataset.slice(project.length + 1) };
}

/** A dataset that is still processing will do: the run looks again. */
async function checkDataset(project: string, reference: string, { registry }: PutEvalPorts): Promise<void> {
  const [id = '', version, ...rest] = reference.split('@');
  const exists =
    rest.length === 0 &&
    (version === undefined
      ? (await registry.listDatasetVersions(project, id)).length > 0
      : (await registry.getDataset(project, id, version)) !== null);
  if (exists) return;
  throw new ConfigError([
    {
      field: 'dataset',
      message: `dataset "${reference}" does not exist in project "${project}"`,
      fix: `upload it: POST /api/datasets/project/${project}`,
    },
  ]);
}
