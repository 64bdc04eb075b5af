import { basename, dirname, isAbsolute, join, parse } from 'node:path';
import { loadConfigFile } from '../adapters/local/eval-file.ts';
import { parseEval } from '../core/config/parse-eval.ts';
import type { Fault } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';
import type { JudgeConfig } from '../core/schemas/judge-config.ts';

export interface LoadedEval {
  readonly file: string;
  /** Folder of the eval file: its dataset path and `.env` are looked up there. */
  readonly folder: string;
  readonly config: EvalConfig;
  readonly datasetPath: string;
  /** File name without its endings; names the dataset in results. */
  readonly datasetId: string;
  /** The fault with file and line, where it is about something that stands in the file. */
  locate(fault: Fault): Fault;
}

export interface EvalOverrides {
  readonly judges?: readonly JudgeConfig[];
  readonly baseline?: string;
  readonly concurrency?: number;
  readonly sampleSize?: number;
  readonly trials?: number;
  readonly timeBudgetS?: number;
}

/** Reads an eval file and applies what flags say over it. Throws ConfigError with file, line and field. */
export async function loadEval(file: string, overrides: EvalOverrides = {}): Promise<LoadedEval> {
  const loaded = await loadConfigFile(file);
  const changes = changesOf(overrides);
  const isFromFlag = (key: PropertyKey | undefined): boolean =>
    Object.hasOwn(changes, key ?? '') || (key === 'judge' && overrides.judges !== undefined);
  // Flags go in before the file is checked, so that they are held to the same rules.
  const config = parseEval(isJsonObject(loaded.value) ? { ...loaded.value, ...changes } : loaded.value, {
    file,
    lineOf: (path) => (isFromFlag(path[0]) ? undefined : loaded.lineOf(path)),
    judges: { override: overrides.judges },
  });
  const folder = dirname(file);
  const datasetPath = isAbsolute(config.dataset) ? config.dataset : join(folder, config.dataset);
  return {
    file,
    folder,
    config,
    datasetPath,
    datasetId: datasetIdOf(datasetPath),
    locate(fault) {
      const path = fault.field?.split('.') ?? [];
      if (fault.file !== undefined || isFromFlag(path[0])) return fault;
      const line = path.length === 0 ? undefined : loaded.lineOf(path);
      return { file, ...(line === undefined ? {} : { line }), ...fault };
    },
  };
}

function changesOf(overrides: EvalOverrides): JsonObject {
  const changes: JsonObject = {};
  if (overrides.baseline !== undefined) changes.baseline = overrides.baseline;
  if (overrides.concurrency !== undefined) changes.concurrency = overrides.concurrency;
  if (overrides.sampleSize !== undefined) changes.sample_size = overrides.sampleSize;
  if (overrides.trials !== undefined) changes.trials = overrides.trials;
  if (overrides.timeBudgetS !== undefined) changes.time_budget_s = overrides.timeBudgetS;
  return changes;
}

function datasetIdOf(path: string): string {
  const name = basename(path).replace(/\.gz$/i, '');
  return parse(name).name;
}
