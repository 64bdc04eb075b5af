import { basename, dirname, isAbsolute, join, parse } from 'node:path';
import { loadConfigFile } from '../adapters/local/eval-file.ts';
import { parseEval } from '../core/config/parse-eval.ts';
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
  // Flags go in before the file is checked, so that they are held to the same rules.
  const config = parseEval(isJsonObject(loaded.value) ? { ...loaded.value, ...changes } : loaded.value, {
    file,
    lineOf: (path) => (String(path[0]) in changes ? undefined : loaded.lineOf(path)),
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
