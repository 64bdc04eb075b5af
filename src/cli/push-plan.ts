import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { openDatasetFile } from '../adapters/local/dataset-file.ts';
import { type LoadedFile, loadConfigFile } from '../adapters/local/eval-file.ts';
import { parseEvalFile, settleEval } from '../core/config/parse-eval.ts';
import { surveyDataset } from '../core/dataset/survey-dataset.ts';
import { ConfigError, DatasetError, type Fault } from '../core/errors.ts';
import { canonicalJson, isJsonObject, type JsonObject, sha256Hex } from '../core/json.ts';
import type { EvalConfig, EvalFile } from '../core/schemas/eval.ts';
import { JudgeConfigSchema } from '../core/schemas/judge-config.ts';
import { scoringFor } from '../core/scoring/scoring-for.ts';
import { slugOf } from '../core/slug.ts';
import { type ProjectNetworks, withProjectNetworks } from '../use-cases/prepare/project-networks.ts';
import { pushFaults } from './push-checks.ts';

/** What the app holds of a project. */
export interface RemoteProject {
  /** False: it is to be made. */
  readonly exists: boolean;
  /** The app runs on this machine. */
  readonly isLocal: boolean;
  readonly defaultJudge: unknown;
  /** What it allows to every eval. */
  readonly networks: ProjectNetworks;
  /** Name → newest ready version. */
  readonly datasets: ReadonlyMap<string, string>;
  /** Name → hash of the newest configuration. */
  readonly evals: ReadonlyMap<string, string>;
}

export interface PlannedDataset {
  readonly name: string;
  readonly path: string;
  readonly version: string;
  readonly rows: number;
  readonly columns: Readonly<Record<string, string>>;
  readonly change: 'new' | 'changed' | 'same';
}

export interface PlannedEval {
  readonly name: string;
  readonly file: string;
  /** As it is stored, its dataset named by id. */
  readonly config: EvalFile;
  readonly raw: JsonObject;
  readonly change: 'new' | 'changed' | 'same';
}

export interface PushPlan {
  readonly datasets: readonly PlannedDataset[];
  readonly evals: readonly PlannedEval[];
  /** YAML files of the folder that are no evals. */
  readonly skipped: readonly string[];
}

/**
 * What a push would do. Every file is read and checked first, so that nothing is sent of a folder with a fault in it.
 * Throws ConfigError with the faults of all of them.
 */
export async function planPush(path: string, remote: RemoteProject): Promise<PushPlan> {
  const { files, isFolder } = await evalFiles(path);
  const evals: PlannedEval[] = [];
  const skipped: string[] = [];
  const faults: Fault[] = [];
  const datasets = new Map<string, PlannedDataset>();
  for (const file of files) {
    try {
      const loaded = await loadConfigFile(file);
      if (isFolder && !(isJsonObject(loaded.value) && 'dataset' in loaded.value)) skipped.push(file);
      else evals.push(await planFile(file, loaded, remote, datasets));
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof DatasetError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  if (evals.length === 0) {
    throw new ConfigError([{ file: path, message: 'holds no eval', fix: 'write one with `assay init`' }]);
  }
  refuseTwins(evals);
  return { datasets: [...datasets.values()], evals, skipped };
}

/** Throws ConfigError or DatasetError with all that is wrong with the eval, or else with its rows. */
async function planFile(
  file: string,
  { value, lineOf }: LoadedFile,
  remote: RemoteProject,
  datasets: Map<string, PlannedDataset>,
): Promise<PlannedEval> {
  const source = { file, lineOf };
  const config = parseEvalFile(value, source);
  const judge = JudgeConfigSchema.safeParse(remote.defaultJudge);
  const judges = judge.success ? { fallback: [judge.data] } : {};
  const settled = settleEval(config, { ...source, judges });
  const faults = await pushFaults(withProjectNetworks(settled, remote.networks), { loopback: remote.isLocal });
  if (faults.length > 0) {
    throw new ConfigError(faults.map((fault) => ({ file, line: lineOf(fault.field?.split('.') ?? []), ...fault })));
  }
  const reference = await datasetReference(settled, file, remote, datasets);
  return planEval(file, { ...(value as JsonObject), dataset: reference }, remote);
}

async function evalFiles(path: string): Promise<{ files: string[]; isFolder: boolean }> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() !== true) return { files: [path], isFolder: false };
  const names = (await readdir(path)).filter((name) => /\.ya?ml$/i.test(name)).sort();
  return { files: names.map((name) => join(path, name)), isFolder: true };
}

/** The dataset's id in the project: of a file beside the eval, or one that the project has already. */
async function datasetReference(
  config: EvalConfig,
  file: string,
  remote: RemoteProject,
  planned: Map<string, PlannedDataset>,
): Promise<string> {
  const path = isAbsolute(config.dataset) ? config.dataset : join(dirname(file), config.dataset);
  const isFile = (await stat(path).catch(() => null))?.isFile() === true;
  const [id = ''] = config.dataset.split('@');
  if (!isFile && remote.datasets.has(id)) return config.dataset;
  const name = datasetName(path);
  const earlier = planned.get(name);
  const sameColumns = earlier !== undefined && canonicalJson(earlier.columns) === canonicalJson(config.columns);
  if (earlier !== undefined && !(earlier.path === path && sameColumns)) {
    const message =
      earlier.path === path
        ? `another eval reads ${path} with other columns`
        : `"${config.dataset}" and ${earlier.path} would both be the dataset "${name}"`;
    throw new ConfigError([{ file, field: 'dataset', message, fix: 'rename one of the files' }]);
  }
  // For every eval, of the same rows too: each has its own checks on them.
  const survey = await surveyDataset(await openDatasetFile(path), {
    columns: config.columns,
    checkRow: (row) => scoringFor(config.type).checkRow(row, config),
  });
  const known = remote.datasets.get(name);
  const change = known === undefined ? 'new' : known === survey.version ? 'same' : 'changed';
  const { version, rows } = survey;
  planned.set(name, { name, path, version, rows, columns: config.columns, change });
  return name;
}

function planEval(file: string, raw: JsonObject, remote: RemoteProject): PlannedEval {
  const config = parseEvalFile(raw, { file });
  const known = remote.evals.get(config.name);
  const hash = sha256Hex(canonicalJson(config));
  const change = known === undefined ? 'new' : known === hash ? 'same' : 'changed';
  return { name: config.name, file, config, raw, change };
}

function refuseTwins(evals: readonly PlannedEval[]): void {
  const files = new Map<string, string>();
  for (const { name, file } of evals) {
    const earlier = files.get(name);
    if (earlier !== undefined) {
      throw new ConfigError([
        { file, field: 'name', message: `${earlier} is the eval "${name}" too`, fix: 'rename one' },
      ]);
    }
    files.set(name, file);
  }
}

/** support_FAQ.csv.gz → support-faq: an id, so that the app takes it as it is. */
export function datasetName(path: string): string {
  const file = basename(path).replace(/\.gz$/i, '');
  const name = slugOf(file.slice(0, file.length - extname(file).length));
  if (name !== '') return name;
  throw new ConfigError([
    { file: path, message: 'the name of a dataset file needs letters a to z or digits', fix: 'rename it' },
  ]);
}
