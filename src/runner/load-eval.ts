import { basename, isAbsolute, join, parse } from 'node:path';
import { readEval } from '../core/config/parse-eval.ts';
import { ConfigError, type Fault } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';
import type { JudgeConfig } from '../core/schemas/judge-config.ts';
import { readEvalSource } from './eval-source.ts';
import type { SourceOptions } from './source-file.ts';

export interface LoadedEval {
  readonly file: string;
  /** Folder of the eval file: its dataset path and `.env` are looked up there. */
  readonly folder: string;
  readonly config: EvalConfig;
  readonly datasetPath: string;
  /** File name without its endings; names the dataset in results. */
  readonly datasetId: string;
  /** What was read from another tool's file in a way that one might not expect. */
  readonly warnings: readonly string[];
  /** The fault with file and line, where it is about something that stands in the file. */
  locate(fault: Fault): Fault;
}

export interface EvalOverrides {
  readonly judges?: readonly JudgeConfig[];
  /** Judges of an eval that names none. */
  readonly fallbackJudges?: readonly JudgeConfig[];
  readonly baseline?: string;
  readonly concurrency?: number;
  readonly sampleSize?: number;
  readonly trials?: number;
  readonly timeBudgetS?: number;
  readonly judgeCache?: boolean;
  readonly source?: SourceOptions;
  /** Plainwright's MAX_EVAL_ROWS_PER_RUN: most rows of any run, whatever the eval says. */
  readonly maxEvalRows?: string | undefined;
}

export interface EvalFileReading {
  /** Null when too little could be read. */
  readonly loaded: LoadedEval | null;
  readonly faults: readonly Fault[];
  readonly unread: ReadonlySet<string>;
  /** Null when the file does not say. */
  readonly datasetPath: string | null;
}

/** Reads an eval file and applies what flags say over it. Throws ConfigError with file, line and field. */
export async function loadEval(path: string, overrides: EvalOverrides = {}): Promise<LoadedEval> {
  const { loaded, faults } = await readEvalFile(path, overrides);
  if (loaded === null || faults.length > 0) throw new ConfigError(faults);
  return loaded;
}

/** The same with the faults of its keys as values. Throws ConfigError for what is no eval file at all. */
export async function readEvalFile(path: string, overrides: EvalOverrides = {}): Promise<EvalFileReading> {
  const loaded = await readEvalSource(path, overrides.source);
  const { file, folder } = loaded;
  const changes = { ...changesOf(overrides), ...rowLimit(loaded.value, overrides.maxEvalRows) };
  const isFromFlag = (key: PropertyKey | undefined): boolean =>
    Object.hasOwn(changes, key ?? '') || (key === 'judge' && overrides.judges !== undefined);
  // Flags go in before the file is checked, so that they are held to the same rules.
  const { config, faults, unread } = readEval(
    isJsonObject(loaded.value) ? { ...loaded.value, ...changes } : loaded.value,
    {
      file,
      lineOf: (path) => (isFromFlag(path[0]) ? undefined : loaded.lineOf(path)),
      judges: { override: overrides.judges, fallback: overrides.fallbackJudges },
    },
  );
  const place = (dataset: string) => (isAbsolute(dataset) ? dataset : join(folder, dataset));
  if (config === null) {
    const dataset = isJsonObject(loaded.value) ? loaded.value.dataset : undefined;
    return { loaded: null, faults, unread, datasetPath: typeof dataset === 'string' ? place(dataset) : null };
  }
  const datasetPath = place(config.dataset);
  const settled: LoadedEval = {
    file,
    folder,
    config,
    datasetPath,
    datasetId: loaded.datasetId ?? datasetIdOf(datasetPath),
    warnings: loaded.warnings,
    locate(fault) {
      const path = fault.field?.split('.') ?? [];
      if (fault.file !== undefined || isFromFlag(path[0])) return fault;
      const line = path.length === 0 ? undefined : loaded.lineOf(path);
      return { file, ...(line === undefined ? {} : { line }), ...fault };
    },
  };
  return { loaded: settled, faults, unread, datasetPath: unread.has('dataset') ? null : datasetPath };
}

function changesOf(overrides: EvalOverrides): JsonObject {
  const changes: JsonObject = {};
  if (overrides.baseline !== undefined) changes.baseline = overrides.baseline;
  if (overrides.concurrency !== undefined) changes.concurrency = overrides.concurrency;
  if (overrides.sampleSize !== undefined) changes.sample_size = overrides.sampleSize;
  if (overrides.trials !== undefined) changes.trials = overrides.trials;
  if (overrides.timeBudgetS !== undefined) changes.time_budget_s = overrides.timeBudgetS;
  if (overrides.judgeCache === true) changes.judge_cache = true;
  return changes;
}

/** Throws ConfigError where the variable is no count. */
function rowLimit(value: unknown, given: string | undefined): JsonObject {
  if (given === undefined || given.trim() === '') return {};
  if (!/^[1-9]\d{0,9}$/.test(given.trim())) {
    const message = `MAX_EVAL_ROWS_PER_RUN is a whole number from 1, not "${given}"`;
    throw new ConfigError([{ message, fix: 'mend it in the environment, or unset it' }]);
  }
  const own = isJsonObject(value) && typeof value.max_rows === 'number' ? value.max_rows : Number.POSITIVE_INFINITY;
  return Number(given) < own ? { max_rows: Number(given) } : {};
}

function datasetIdOf(path: string): string {
  const name = basename(path).replace(/\.gz$/i, '');
  return parse(name).name;
}
